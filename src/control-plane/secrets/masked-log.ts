import { redactLine } from '../../platform/redaction/redact.ts';
import type { LogSink } from '../builds/builder.ts';
import type { Secret } from './environment.ts';

// What is shorter is a word like `true`, and would hide half the log.
const SHORTEST = 6;

/** Takes the values of secrets out of a text, then what looks like a secret or names an internal host. */
export function masker(secrets: Secret[]): (text: string) => string {
  const values = secrets
    .flatMap(({ value }) => [value, ...value.split('\n')])
    .map((value) => value.trim())
    .filter((value) => value.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  return (text) => redactLine(values.reduce((masked, value) => masked.replaceAll(value, '***'), text));
}

/** A log that is not told what is secret. */
export const maskedLog =
  (log: LogSink, mask: (text: string) => string): LogSink =>
  (message, level) =>
    log(mask(message), level);
