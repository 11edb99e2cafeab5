import type { Middleware } from 'koa';
import { NotFound } from '../../platform/errors.ts';

// Probes find these wherever the server is mounted (contract §9).
const UNPREFIXED = new Set(['/', '/ok', '/metrics']);

/** Serves everything under `http.mount_prefix` (contract §14); paths without it are not there. */
export function mountPrefix(prefix: string): Middleware {
  const bare = prefix.replace(/\/+$/, '');
  return async (ctx, next) => {
    if (ctx.path === bare || ctx.path.startsWith(`${bare}/`)) ctx.path = ctx.path.slice(bare.length) || '/';
    else if (!UNPREFIXED.has(ctx.path)) throw new NotFound();
    await next();
  };
}
