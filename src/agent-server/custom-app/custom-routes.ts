import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Context, Middleware } from 'koa';
import { NotFound } from '../../platform/errors.ts';
import type { Access } from '../auth/access.ts';
import { webRequest } from '../auth/authentication.ts';
import { actingAs } from '../../graph-host/in-process/acting.ts';
import { type CustomApp, PASSED_ON } from '../../graph-host/app/custom-app.ts';
import { type LeftRequest, WatchedBody } from '../../graph-host/app/watched-body.ts';

// What operators and tools rely on is always ours (contract §9).
const OURS = /^\/(?:ok|metrics|openapi\.json|docs(?:\/.*)?)$/;
const EMPTY = new Set([204, 205, 304]);
const THEIRS_FIRST = new Set(['/', '/info']);

export interface CustomRoutesOptions {
  app: CustomApp;
  /** Whether a route of ours answers this path. */
  isOurs: (path: string) => boolean;
  /** Given where the project's routes want to know their user. */
  access?: Access | undefined;
  /** Whether its middleware comes before authentication: only where the project says so. */
  middlewareFirst?: boolean;
  /** Most bytes of a body that is kept for a route of ours. */
  bodyLimit: number;
}

/** Lets the project's application answer its own paths, and its middleware see requests to ours. */
export function customRoutes(options: CustomRoutesOptions): Middleware {
  const { app, isOurs, access, middlewareFirst, bodyLimit } = options;
  return async (ctx, next) => {
    const { method, path } = ctx;
    if (OURS.test(path)) return next();
    const owns = app.owns(method, path);
    const ours = isOurs(path) && !owns && !THEIRS_FIRST.has(path);
    if (ours && !app.watches(method, path)) return next();
    const identify = async () => (await access?.authenticate(ctx.req))?.user;
    // What is no route of the application may still answer: then nothing of it comes before authentication.
    const admit = access && middlewareFirst && owns ? identify : undefined;
    const user = ours || admit ? undefined : await identify();
    const watched = ours ? new WatchedBody(ctx.req, bodyLimit) : undefined;
    const request = withBody(ctx, watched?.stream);
    const passOn = async (left: LeftRequest) => {
      ctx.state['body'] = await watched?.after(request, left);
    };
    const response = await actingAs({ user }, () => app.fetch(request, { user }, { admit, passOn }));
    if (watched?.failure !== undefined) throw watched.failure;
    if (response.headers.has(PASSED_ON) || (response.status === 404 && !owns && !ours)) {
      ctx.set(ownHeaders(response));
      if (!ours && !isOurs(path)) throw new NotFound();
      return next();
    }
    answer(ctx, response);
  };
}

function withBody(ctx: Context, body?: object): Request {
  const bare = webRequest(ctx.req);
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return bare;
  // The type of Node's own fetch has no streams that are sent while they are read.
  const init: object = { body: body ?? Readable.toWeb(ctx.req), duplex: 'half' };
  return new Request(bare, init);
}

function answer(ctx: Context, response: Response): void {
  ctx.status = response.status;
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') ctx.set(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) ctx.set('set-cookie', cookies);
  if (response.body) ctx.body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
  else if (!EMPTY.has(response.status)) ctx.body = '';
}

/** What middleware put on an answer that is going to be ours. */
const ownHeaders = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name !== PASSED_ON && !name.startsWith('content-')));
