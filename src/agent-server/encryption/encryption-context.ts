import { AsyncLocalStorage } from 'node:async_hooks';
import type { Middleware } from 'koa';
import { BadRequest } from '../../platform/errors.ts';
import { callerOf } from '../caller.ts';
import type { ProjectEncryption } from './host-encryption.ts';

type Json = Record<string, unknown>;

// Part of every run's configurable, so that the worker encrypts with the context of the caller who started the run.
// Clients can't set it: keys with double underscores are reserved for the server.
const KEY = '__encryption_context__';

const current = new AsyncLocalStorage<Json>();

/** Metadata passed to the encryption handlers for the current write, such as a tenant's key names. */
export const encryptionMetadata = (): Json => current.getStore() ?? {};

/** Runs work for a run under the encryption context it was started with. */
export function underRunContext<T>(configurable: Json | undefined, work: () => T): T {
  const metadata = configurable?.[KEY] as Json | undefined;
  return metadata ? current.run(metadata, work) : work();
}

/**
 * Reads a request's context: `X-Encryption-Context`, base64 of a JSON object, or the result of the project's handler.
 */
export function encryptionContext({ context }: ProjectEncryption): Middleware {
  return async (ctx, next) => {
    const caller = callerOf(ctx);
    const given = readHeader(ctx.get('x-encryption-context'));
    const metadata = context
      ? await context(caller.user, { model: null, field: null, metadata: given })
      : given;
    if (Object.keys(metadata).length === 0) return next();
    ctx.state['caller'] = { ...caller, configurable: { ...caller.configurable, [KEY]: metadata } };
    return current.run(metadata, next);
  };
}

function readHeader(header: string): Json {
  if (!header) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Handled below.
  }
  throw new BadRequest('X-Encryption-Context must be base64 of a JSON object');
}
