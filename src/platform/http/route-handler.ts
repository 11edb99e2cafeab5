import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { PublicError } from '../errors.ts';
import { compileValidator, type InvalidAnswer } from '../schema.ts';
import { storableText } from '../storable-text.ts';
import { readJsonBody } from './body.ts';
import { JsonText } from './json-text.ts';
import { readQuery } from './query-string.ts';
import type { Route } from './route.ts';

/** Rewrites JSON text before parsing and after serialisation. */
export interface JsonRewriting {
  prepare(body: string, route: Route): string;
  finish(answer: string): string;
}
const PLAIN: JsonRewriting = { prepare: (body) => body, finish: (answer) => answer };

/** Validates a request against its route's schemas, calls the handler and sends its result as JSON. */
export function routeHandler(
  route: Route,
  bodyLimit: number,
  { invalid, json = PLAIN }: { invalid?: InvalidAnswer | undefined; json?: JsonRewriting | undefined } = {},
): Middleware {
  const prepare = (text: string) => json.prepare(text, route);
  const checkParams = route.params && compileValidator(route.params, 'path', invalid);
  const checkQuery = route.query && compileValidator(route.query, 'query', invalid);
  const checkBody = route.body && compileValidator(route.body, 'body', invalid);
  const streams = isStream(route);
  const answer = async (ctx: Context): Promise<unknown> => {
    let refused: PublicError | undefined;
    const note = (error: unknown): void => {
      if (!route.refuseBody || !(error instanceof PublicError)) throw error;
      refused ??= error;
    };
    const sent = checkBody && (await readJsonBody(ctx.req, bodyLimit, bodyOf(ctx), prepare).catch(note));
    const params = checkParams?.(pathParams(ctx));
    const query = route.query && checkQuery?.(readQuery(new URLSearchParams(ctx.querystring), route.query));
    let body: unknown;
    try {
      body = checkBody?.(sent);
    } catch (error) {
      note(error);
    }
    return refused ? route.refuseBody?.(refused, sent, ctx) : route.handle({ params, query, body, ctx });
  };
  return async (ctx) => {
    if (streams && ctx.method === 'HEAD') return answerStreamHead(ctx);
    const result = await answer(ctx);
    if (result !== undefined) {
      // Serialised here, because Koa would not send a bare string, number or null as JSON.
      ctx.type = 'application/json';
      if (result instanceof JsonText) sendText(ctx, result);
      else ctx.body = json.finish(JSON.stringify(result));
    } else if (ctx.respond !== false && ctx.body === undefined && ctx.status === 404) {
      ctx.status = 204;
    }
  };
}

/** A body that middleware substituted for the request's. */
const bodyOf = (ctx: Context): Buffer | undefined => ctx.state['body'] as Buffer | undefined;

/** Streams long text in chunks instead of concatenating it. */
function sendText(ctx: Context, { chunks }: JsonText): void {
  ctx.body = chunks.length === 1 ? chunks[0] : Readable.from(chunks, { objectMode: false });
  ctx.length = chunks.reduce((sum, { length }) => sum + length, 0);
}

const isStream = ({ responses }: Route): boolean =>
  Object.values(responses).some(
    (response) => 'content' in response && response.content === 'text/event-stream',
  );

/** Answers HEAD without the stream, which would never end and whose closing may cancel a run. */
function answerStreamHead(ctx: Context): void {
  ctx.status = 200;
  ctx.type = 'text/event-stream; charset=utf-8';
}

const pathParams = (ctx: Context): Record<string, string> =>
  Object.fromEntries(
    Object.entries((ctx as unknown as { params: Record<string, string> }).params).map(([name, value]) => [
      name,
      storableText(value),
    ]),
  );
