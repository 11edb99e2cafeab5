import type { User } from '../../graph-protocol/messages.ts';
import type { Project } from '../project/project.ts';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import { actingAs } from '../in-process/acting.ts';
import type { LeftRequest } from './watched-body.ts';

/** Passed to the project's routes with the request; in Hono it is `c.env`. */
export interface AppEnvironment {
  /** Set with `http.enable_custom_route_auth`. */
  user?: User | undefined;
}

/** Hooks into a request's way through a Hono application; `fetch` rethrows their errors. */
export interface RequestHooks {
  /** Runs between the application's middleware and its first route: authenticates the request. */
  admit?: (() => Promise<User | undefined>) | undefined;
  /** Runs when all middleware passed the request and no route matched. */
  passOn?: ((request: LeftRequest) => Promise<void>) | undefined;
}

/** The project's own HTTP application: `http.app`. */
export interface CustomApp {
  fetch(request: Request, env?: AppEnvironment, hooks?: RequestHooks): Promise<Response>;
  /** Whether the application has a route for it, not just middleware. Undefined if only a request can tell. */
  owns(method: string, path: string): boolean | undefined;
  /** Whether any middleware handles requests to our routes. */
  watches(method: string, path: string): boolean;
}

/** The parts of a Hono application that distinguish routes from middleware. */
interface HonoLike {
  fetch: FetchHandler;
  router: Router;
  notFound(handler: (context: HonoContext) => Promise<Response>): unknown;
}
interface Router {
  add(method: string, path: string, handler: unknown): void;
  match(method: string, path: string): [Match[], ...unknown[]];
}
type Match = [[Handler, { method?: string } | undefined, ...unknown[]], ...unknown[]];
interface HonoContext {
  env: HookedEnvironment;
  req: LeftRequest;
  body(body: null, status: number, headers: Record<string, string>): Response;
}
type Handler = ((context: HonoContext, next: unknown) => unknown) & {
  __COMPOSED_HANDLER?: (...args: unknown[]) => unknown;
};
type FetchHandler = (request: Request, env?: AppEnvironment) => Response | Promise<Response>;

/** Header of a response that passes the request on to the server. */
export const PASSED_ON = 'x-slipway-passed-on';

/** Loads the application in `http.app`, if set. Throws InvalidProject. */
export async function loadCustomApp(
  project: Pick<Project, 'config' | 'import'>,
): Promise<CustomApp | undefined> {
  const reference = project.config.http?.app;
  if (reference === undefined) return undefined;
  const app = (await project.import('http.app', reference)) as Partial<HonoLike> | FetchHandler | null;
  const fetch = typeof app === 'function' ? app : app?.fetch?.bind(app);
  if (!fetch) {
    throw new InvalidProject(
      `http.app: ${reference} has no fetch(request); export a Hono application or a fetch handler`,
    );
  }
  if (!isHono(app)) {
    return {
      fetch: async (request, env) => fetch(request, env),
      owns: () => undefined,
      watches: () => false,
    };
  }
  const { router } = app;
  app.router = { add: router.add.bind(router), match: gated(router) };
  app.notFound(async (context) => {
    const { env, req } = context;
    await noting(env, () => env[HOOKS]?.passOn?.(req));
    // Through the context, which adds headers set by middleware.
    return context.body(null, 404, { [PASSED_ON]: '1' });
  });
  const matches = (method: string, path: string) =>
    router.match(method, path)[0].map(([[handler]]) => handler);
  return {
    async fetch(request, env, hooks) {
      const own: HookedEnvironment = { ...env, [HOOKS]: hooks };
      const response = await app.fetch(request, own);
      if (own[THROWN] !== undefined) throw own[THROWN];
      return response;
    },
    owns: (method, path) => matches(method, path).some((handler) => !isMiddleware(handler)),
    watches: (method, path) => matches(method, path).length > 0,
  };
}

const HOOKS = Symbol('hooks');
const THROWN = Symbol('thrown');
interface HookedEnvironment extends AppEnvironment {
  [HOOKS]?: RequestHooks | undefined;
  [THROWN]?: unknown;
}

/** Hono turns errors into responses; this keeps them for the server, which formats them differently. */
async function noting<Result>(
  env: HookedEnvironment,
  work: () => Result,
): Promise<Awaited<Result> | undefined> {
  try {
    return await work();
  } catch (error) {
    env[THROWN] = error;
    return undefined;
  }
}

/** Inserts a gate between the middleware and the first matching route. */
const gated =
  (router: Router): Router['match'] =>
  (method, path) => {
    const [found, ...rest] = router.match(method, path);
    const first = found.findIndex(([[handler, route]]) => route?.method !== 'ALL' || !isMiddleware(handler));
    if (first === -1) return [found, ...rest];
    const [[handler, ...route], ...parameters] = found[first]!;
    const gate: Match = [[admitting(handler), ...route], ...parameters];
    return [found.with(first, gate), ...rest];
  };

const admitting =
  (handler: Handler): Handler =>
  async (context, next) => {
    const { env } = context;
    const admit = env[HOOKS]?.admit;
    if (!admit) return handler(context, next);
    env.user = await noting(env, admit);
    if (env[THROWN] !== undefined) return new Response(null, { status: 401 });
    return actingAs({ user: env.user }, () => handler(context, next));
  };

const isHono = (app: unknown): app is HonoLike =>
  typeof app === 'object' &&
  app !== null &&
  typeof (app as HonoLike).router?.match === 'function' &&
  typeof (app as HonoLike).notFound === 'function';

/** As Hono itself does: middleware takes `next`. */
const isMiddleware = (handler: Handler): boolean => (handler.__COMPOSED_HANDLER ?? handler).length > 1;
