import { createRequire } from 'node:module';
import pino, { type Logger } from 'pino';
import type PinoPretty from 'pino-pretty';

/** Logs JSON lines to standard output, or formatted lines to a terminal. */
export function createLog(level: string, pretty = process.stdout.isTTY): Logger {
  const redact = ['*.password', '*.api_key', '*.authorization'];
  const options = { level, base: null, redact, serializers: { err: describeError } };
  if (!pretty) return pino(options);
  const prettify = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  return pino(options, prettify({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', sync: true }));
}

const MAX_CAUSE_DEPTH = 3;

/** Extracts the useful fields, because driver errors reference whole clients and their settings. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    stack,
    ...(cause !== undefined && depth < MAX_CAUSE_DEPTH && { cause: describeError(cause, depth + 1) }),
  };
}
