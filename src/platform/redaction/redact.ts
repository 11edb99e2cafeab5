import { redactCredentials } from './credentials.ts';
import { redactPlaces } from './places.ts';

/** A text for strangers: no credentials, connection strings, internal hosts or file paths. */
export const redact = (text: string): string => redactPlaces(redactCredentials(text), { paths: true });

/** The same for a log line: its readers need the files of a stack trace. */
export const redactLine = (text: string): string => redactPlaces(redactCredentials(text), { paths: false });
