import { redactLine } from '../../platform/redaction/redact.ts';
import type { LogSink } from '../log.ts';
import type { Secret } from './environment.ts';

// Shorter values are words like `true`, and would mask half the log.
const SHORTEST = 6;

/** Masks the values of secrets, then anything that looks like a secret or an internal host. */
export function masker(secrets: Secret[]): (text: string) => string {
  const values = secrets
    .flatMap(({ value }) => [value, ...value.split('\n')])
    .map((value) => value.trim())
    .filter((value) => value.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  return (text) => redactLine(values.reduce((masked, value) => masked.replaceAll(value, '***'), text));
}

/** A log with secrets masked. */
export const maskedLog =
  (log: LogSink, mask: (text: string) => string): LogSink =>
  (message, level) =>
    log(mask(message), level);
