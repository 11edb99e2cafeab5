import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { Logger } from 'pino';
import { isDatabaseAway, isRolledBack } from '../db/database.ts';
import { PublicError, Unavailable } from '../errors.ts';
import { uuid7 } from '../ids.ts';
import { publicAddress } from './public-address.ts';
import { requestAddress } from './request-address.ts';
import type { InvalidAnswer } from '../schema.ts';
import type { Route } from './route.ts';
import { type JsonRewriting, routeHandler } from './route-handler.ts';

export interface AppOptions {
  log: Logger;
  /** Largest request body in bytes. */
  bodyLimit: number;
  /** Builds validation errors. Defaults to a line of text. */
  invalid?: InvalidAnswer;
  json?: JsonRewriting;
  /** Runs before the routes: CORS, metrics, authentication. `hasRoute` tells whether a path has a route. */
  middleware?: (hasRoute: (path: string) => boolean) => Middleware[];
  /** Headers to include in the request's log line. */
  loggedHeaders?: (headers: IncomingHttpHeaders) => Record<string, string>;
}

/** A Koa application that serves `routes` in order and answers every failure as `{"detail"}`. */
export function createApp(routes: Route[], options: AppOptions): Koa {
  const { log, bodyLimit, middleware = () => [], loggedHeaders = () => ({}) } = options;
  const app = new Koa();
  const router = new Router();
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router.register(path, [route.method], [routeHandler(route, bodyLimit, options)]);
  }
  app.use(refuseMalformedAddress(log));
  app.use(requestContext(log, loggedHeaders));
  for (const layer of middleware((path) => router.match(path, 'GET').path.length > 0)) app.use(layer);
  app.use(router.routes());
  app.use(unmatched(router));
  app.on('error', (error: Error) => log.debug({ err: error }, 'connection error'));
  return app;
}

/** Must come before code that reads the path, because Koa throws on some malformed ones. */
function refuseMalformedAddress(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      requestAddress(ctx.req);
    } catch (error) {
      return answerError(ctx, error, log);
    }
    return next();
  };
}

/** Assigns a request id, converts errors to responses and logs the outcome. */
function requestContext(log: Logger, loggedHeaders: NonNullable<AppOptions['loggedHeaders']>): Middleware {
  return async (ctx, next) => {
    const started = performance.now();
    const { method, path } = ctx;
    const requestId =
      ctx
        .get('x-request-id')
        .replaceAll(/[^\x20-\x7e]/g, '')
        .slice(0, 200) || uuid7();
    ctx.state['request_id'] = requestId;
    if (/^\/(threads|runs)/.test(ctx.path)) ctx.set('x-request-id', requestId);
    try {
      await next();
    } catch (error) {
      answerError(ctx, error, log.child({ request_id: requestId }));
    }
    const ms = Math.round((performance.now() - started) * 10) / 10;
    log.debug(
      { request_id: requestId, method, path, status: ctx.status, ms, ...loggedHeaders(ctx.req.headers) },
      'request',
    );
  };
}

/** Only PublicError reveals anything to the caller; other errors are logged and answered generically. */
function answerError(ctx: Context, thrown: unknown, log: Logger): void {
  const error = asTransient(thrown) ?? thrown;
  const known = error instanceof PublicError;
  const status = known ? error.status : 500;
  const isCutOff = ctx.req.errored || (ctx.req.destroyed && !ctx.req.complete);
  if (isCutOff) log.debug({ err: error }, 'the caller disconnected before sending the whole request');
  else if (status >= 500) log.error({ err: error, method: ctx.method, path: ctx.path }, 'request failed');
  if (ctx.headerSent || ctx.respond === false) {
    ctx.res.destroy();
    return;
  }
  if (known && error.headers) ctx.set(error.headers);
  ctx.status = status;
  ctx.body = { detail: known ? (error.detail ?? error.message) : (STATUS_CODES[status] ?? 'Error') };
}

/** Converts transient failures to retryable errors. */
function asTransient(cause: unknown): PublicError | undefined {
  const detail = isRolledBack(cause)
    ? 'The request conflicted with another one; retry'
    : isDatabaseAway(cause) && 'The database is unavailable; retry';
  return detail ? Object.assign(new Unavailable(detail), { cause }) : undefined;
}

function unmatched(router: Router): Middleware {
  return (ctx) => {
    const path = ctx.path.length > 1 && ctx.path.endsWith('/') ? ctx.path.slice(0, -1) : ctx.path;
    const methods = [...new Set(router.match(path, ctx.method).path.flatMap((layer) => layer.methods))];
    if (methods.length > 0 && path !== ctx.path) {
      ctx.status = 307;
      // Restores the path prefix that proxies removed, because clients follow the location literally.
      const asked = ctx.originalUrl.split('?')[0]!.replace(/\/$/, '');
      ctx.set('location', publicAddress(ctx).prefix + asked + ctx.search);
      ctx.body = { detail: 'Temporary Redirect' };
    } else if (methods.length > 0) {
      ctx.status = 405;
      ctx.set('allow', methods.join(', '));
      ctx.body = { detail: 'Method Not Allowed' };
    } else {
      ctx.status = 404;
      ctx.body = { detail: 'Not Found' };
    }
  };
}
