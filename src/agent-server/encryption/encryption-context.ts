import { AsyncLocalStorage } from 'node:async_hooks';
import type { Middleware } from 'koa';
import { BadRequest } from '../../platform/errors.ts';
import { callerOf } from '../auth/caller.ts';
import type { ProjectEncryption } from './host-encryption.ts';

type Json = Record<string, unknown>;

// Part of every run's configurable, so that its worker encrypts under the context of whoever started it. Clients
// cannot send it themselves: keys with these underscores are the server's.
const KEY = '__encryption_context__';

const current = new AsyncLocalStorage<Json>();

/** What handlers are told of whoever stores something right now: key names of a tenant, for example. */
export const encryptionMetadata = (): Json => current.getStore() ?? {};

/** Carries out work on a run under the encryption context it was started with. */
export function underRunContext<T>(configurable: Json | undefined, work: () => T): T {
  const metadata = configurable?.[KEY] as Json | undefined;
  return metadata ? current.run(metadata, work) : work();
}

/** Reads the context of a request: `X-Encryption-Context`, base64 of a JSON object, or what the project makes of it. */
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
    // Told below.
  }
  throw new BadRequest('X-Encryption-Context must be base64 of a JSON object');
}
