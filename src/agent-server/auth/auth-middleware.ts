import type { Middleware } from 'koa';
import type { Access } from './access.ts';

// Health, API description and UI files (contract §9).
const OPEN = /^\/(?:(?:ok|info|metrics|openapi\.json|docs(?:\/[^/]*)?)?\/?$|ui\/[^/]+\/[^/]+$)/;

const isOpen = (method: string, path: string): boolean =>
  method === 'OPTIONS' || (OPEN.test(path) && (method === 'GET' || method === 'HEAD'));

/** Authenticates a request to one of our routes, before any other processing. */
export const identify =
  (access: Access, hasRoute: (path: string) => boolean): Middleware =>
  async (ctx, next) => {
    if (isOpen(ctx.method, ctx.path) || !hasRoute(ctx.path)) return next();
    ctx.state['caller'] = await access.authenticate(ctx.req);
    return next();
  };
