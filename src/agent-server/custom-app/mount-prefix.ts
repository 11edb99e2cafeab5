import type { Middleware } from 'koa';
import { NotFound } from '../../platform/errors.ts';

// Probes expect these at the root, regardless of the mount prefix (contract §9).
const UNPREFIXED = new Set(['/', '/ok', '/metrics']);

/** Serves everything under `http.mount_prefix` (contract §14); other paths are not found. */
export function mountPrefix(prefix: string): Middleware {
  const bare = prefix.replace(/\/+$/, '');
  return async (ctx, next) => {
    if (ctx.path === bare || ctx.path.startsWith(`${bare}/`)) ctx.path = ctx.path.slice(bare.length) || '/';
    else if (!UNPREFIXED.has(ctx.path)) throw new NotFound();
    await next();
  };
}
