import { redactCredentials } from './credentials.ts';
import { redactLocations } from './locations.ts';

/** Removes credentials, connection strings, internal hosts and file paths. */
export const redact = (text: string): string => redactLocations(redactCredentials(text), { paths: true });

/** The same for log lines, which keep file paths for stack traces. */
export const redactLine = (text: string): string =>
  redactLocations(redactCredentials(text), { paths: false });
