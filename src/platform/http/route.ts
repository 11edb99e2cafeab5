import type { Context } from 'koa';
import type { Static, TObject, TSchema } from 'typebox';
import type { PublicError } from '../errors.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Validated parts of a request. `ctx` is for headers, status and streams. */
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
  /** Path with `{name}` parameters as in OpenAPI. */
  path: string;
  operationId: string;
  tags: readonly string[];
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** JSON bodies by status; 204 and streams have none. Other types list their content types. */
  responses: Record<number, TSchema | { description: string; content?: string | readonly string[] }>;
  /** Omitted from OpenAPI: aliases and deprecated spellings. */
  hidden?: boolean;
  /** Handles invalid bodies that need something other than the usual 422. May throw another error. */
  refuseBody?(error: PublicError, sent: unknown, ctx: Context): unknown;
  /**
   * Returns the JSON body of a 200; undefined answers 204. Streaming handlers set `ctx.body` or `ctx.respond = false`
   * and return undefined.
   */
  handle(input: RouteInput<Parsed<Params>, Parsed<Query>, Parsed<Body>>): unknown;
}

/** A route without its type parameters. */
export type Route = RouteDeclaration<TObject | undefined, TObject | undefined, TSchema | undefined>;

export function defineRoute<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(route: RouteDeclaration<Params, Query, Body>): Route {
  return route;
}
