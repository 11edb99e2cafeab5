import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Context, Middleware } from 'koa';
import { NotFound, TooLarge } from '../../platform/errors.ts';
import type { Access } from '../auth/access.ts';
import { headOf } from '../auth/authentication.ts';
import type { CustomApp } from './custom-app.ts';
import type { AnswerOfHost } from './host-answer.ts';

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
    const { owns, watches } = await app.match(method, path);
    const watch = isOurs(path) && !owns && !THEIRS_FIRST.has(path);
    if (watch && !watches) return next();
    const identify = async () => (await access?.authenticate(ctx.req))?.user;
    // What is no route of the application may still answer: then nothing of it comes before authentication.
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

/** A request's body, taken from the connection as the application asks for it. */
class RequestBody {
  /** Why it could not be read. */
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
      // What is left unread belongs to our route.
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
