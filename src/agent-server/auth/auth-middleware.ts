import type { Middleware } from 'koa';
import type { Access } from './access.ts';

// Health, description and files of user interfaces (contract §9).
const OPEN = /^\/(?:(?:ok|info|metrics|openapi\.json|docs(?:\/[^/]*)?)?\/?$|ui\/[^/]+\/[^/]+$)/;

const isOpen = (method: string, path: string): boolean =>
  method === 'OPTIONS' || (OPEN.test(path) && (method === 'GET' || method === 'HEAD'));

/** Finds out who sends a request to a route of ours, before anything else is done for it. */
export const identify =
  (access: Access, hasRoute: (path: string) => boolean): Middleware =>
  async (ctx, next) => {
    if (isOpen(ctx.method, ctx.path) || !hasRoute(ctx.path)) return next();
    ctx.state['caller'] = await access.authenticate(ctx.req);
    return next();
  };
