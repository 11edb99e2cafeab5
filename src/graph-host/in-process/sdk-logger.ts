import type { Level, Logger } from 'pino';
import { acting } from './acting.ts';

// Maps the SDK's levels to ours.
const LEVELS: Record<string, Level> = {
  error: 'error',
  warn: 'warn',
  help: 'info',
  data: 'info',
  info: 'info',
  http: 'debug',
  debug: 'debug',
  prompt: 'debug',
  verbose: 'debug',
  input: 'debug',
  silly: 'trace',
};

type LogMethod = (message: unknown, ...meta: unknown[]) => SdkLogger;
export type SdkLogger = Record<string, LogMethod>;

/** The logger that the SDK's `getLogger()` returns. Writes to our log, with the run and node. */
export function sdkLogger(log: Logger): SdkLogger {
  const sdk: SdkLogger = {};
  for (const [name, level] of Object.entries(LEVELS)) {
    sdk[name] = (message, ...meta) => {
      const { text, fields } = lineOf(message, meta);
      log[level]({ ...fields, ...labels() }, text);
      return sdk;
    };
  }
  return sdk;
}

/** An object gives fields and a `message`, an error its own message; other arguments are kept as fields. */
function lineOf(message: unknown, meta: unknown[]): { text: string | undefined; fields: object } {
  const fields: Record<string, unknown> = {};
  const rest: unknown[] = [];
  for (const item of meta) {
    if (item instanceof Error) fields['err'] = item;
    else if (typeof item === 'object' && item !== null && !Array.isArray(item)) Object.assign(fields, item);
    else rest.push(item);
  }
  if (rest.length > 0) fields['args'] = rest;
  if (message instanceof Error) return { text: message.message, fields: { ...fields, err: message } };
  if (typeof message !== 'object' || message === null) return { text: String(message), fields };
  const { message: text, level: _, ...own } = message as Record<string, unknown>;
  if (typeof text === 'string') return { text, fields: { ...own, ...fields } };
  return { text: undefined, fields: { ...message, ...fields } };
}

function labels(): object {
  const { run_id, thread_id, node } = acting();
  const langgraph_node = node?.();
  return {
    ...(run_id !== undefined && { run_id, thread_id }),
    ...(langgraph_node !== undefined && { langgraph_node }),
  };
}
