import type { Context } from 'koa';
import type { Static, TObject, TSchema } from 'typebox';
import type { PublicError } from '../errors.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What a handler is given; every part has passed its schema. `ctx` is for headers, status and streams. */
export interface RouteInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  ctx: Context;
}

type Parsed<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export interface RouteDeclaration<
  Params extends TObject | undefined,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
> {
  method: Method;
  /** Path with `{name}` parameters, as OpenAPI writes it. */
  path: string;
  operationId: string;
  tags: readonly string[];
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** JSON bodies by status; 204 and streams have none. What is not JSON, or not always, names its content types. */
  responses: Record<number, TSchema | { description: string; content?: string | readonly string[] }>;
  /** Left out of OpenAPI: aliases and old spellings. */
  hidden?: boolean;
  /** Answers a body that does not pass, where that is not the usual 422; may throw another error. */
  refuseBody?(error: PublicError, sent: unknown, ctx: Context): unknown;
  /**
   * Returns the JSON body of a 200; undefined answers 204. A handler that streams sets `ctx.body` or
   * `ctx.respond = false` and returns undefined.
   */
  handle(input: RouteInput<Parsed<Params>, Parsed<Query>, Parsed<Body>>): unknown;
}

/** A declared route with its type parameters forgotten. */
export type Route = RouteDeclaration<TObject | undefined, TObject | undefined, TSchema | undefined>;

export function defineRoute<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(route: RouteDeclaration<Params, Query, Body>): Route {
  return route;
}
