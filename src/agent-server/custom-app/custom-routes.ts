import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Context, Middleware } from 'koa';
import { NotFound, TooLarge } from '../../platform/errors.ts';
import { acceptUpgrade, isUpgrade } from '../../platform/http/upgrade.ts';
import type { Access } from '../auth/access.ts';
import { headOf } from '../auth/authentication.ts';
import type { CustomApp } from './custom-app.ts';
import type { AnswerOfHost } from './host-answer.ts';

// Paths that operators and tools rely on are always ours (contract §9).
const OURS = /^\/(?:ok|metrics|openapi\.json|docs(?:\/.*)?)$/;
const EMPTY = new Set([204, 205, 304]);
const THEIRS_FIRST = new Set(['/', '/info']);

export interface CustomRoutesOptions {
  app: CustomApp;
  /** Whether one of our routes answers this path. */
  isOurs: (path: string) => boolean;
  /** Set if the project's routes require authentication. */
  access?: Access | undefined;
  /** Whether its middleware runs before authentication; only if the project enables this. */
  middlewareFirst?: boolean;
  /** Largest body kept for one of our routes, in bytes. */
  bodyLimit: number;
}

/** Routes the application's own paths to it, and passes requests for our routes through its middleware. */
export function customRoutes(options: CustomRoutesOptions): Middleware {
  const { app, isOurs, access, middlewareFirst, bodyLimit } = options;
  return async (ctx, next) => {
    const { method, path } = ctx;
    if (OURS.test(path)) return next();
    const identify = async () => (await access?.authenticate(ctx.req))?.user;
    if (app.connect && isUpgrade(ctx)) {
      const { owns } = await app.match(method, path, true);
      if (owns || !isOurs(path)) {
        const admit = access && middlewareFirst && owns ? identify : undefined;
        const user = admit ? undefined : await identify();
        const { open, ...answer } = await app.connect(
          { ...headOf(ctx.req), user, admit: admit !== undefined },
          { admit, connection: ctx.req.socket },
        );
        return acceptUpgrade(ctx, open, answer);
      }
    }
    const { owns, watches } = await app.match(method, path);
    const mayBeTheirs = owns ?? THEIRS_FIRST.has(path);
    const watch = isOurs(path) && !mayBeTheirs;
    if (watch && !watches) return next();
    // Without a matching route the middleware may still answer, so nothing of the application runs before
    // authentication.
    const admit = access && middlewareFirst && owns ? identify : undefined;
    const user = watch || admit ? undefined : await identify();
    const body = new RequestBody(ctx.req, watch ? bodyLimit : Infinity);
    const request = { ...headOf(ctx.req), user, admit: admit !== undefined, watch };
    const answer = await app.ask(request, { admit, input: body.pieces() }).catch((error: unknown) => {
      throw body.failure ?? error;
    });
    if (!answer.passed_on) return send(ctx, answer);
    for (const [name, value] of answer.headers) ctx.append(name, value);
    if (answer.body) ctx.state['body'] = await buffer(answer.content);
    if (!watch && !isOurs(path)) throw new NotFound();
    return next();
  };
}

/** A request's body, read from the connection on demand. */
class RequestBody {
  /** The error that stopped reading. */
  failure: unknown;
  readonly #request: IncomingMessage;
  readonly #limit: number;

  constructor(request: IncomingMessage, limit: number) {
    this.#request = request;
    this.#limit = limit;
  }

  async *pieces(): AsyncGenerator<Buffer> {
    let size = 0;
    try {
      // Leave the unread rest to our route.
      for await (const piece of this.#request.iterator({ destroyOnReturn: false })) {
        size += (piece as Buffer).length;
        if (size > this.#limit) throw new TooLarge(this.#limit);
        yield piece as Buffer;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

function send(ctx: Context, { status = 200, headers, content }: AnswerOfHost): void {
  ctx.status = status;
  for (const [name, value] of headers) {
    if (name === 'set-cookie') ctx.append(name, value);
    else ctx.set(name, value);
  }
  if (EMPTY.has(status)) content.resume();
  else ctx.body = content;
}
