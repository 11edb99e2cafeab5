import type { Project } from '../graphs/project.ts';
import { InvalidProject } from '../graphs/project-config.ts';
import type { AuthUser } from '../auth/caller.ts';

/** What the project's routes get beside the request; Hono has it as `c.env`. */
export interface AppEnvironment {
  /** Only where `http.enable_custom_route_auth` asks for it. */
  user?: AuthUser | undefined;
}

/** The project's own HTTP application: `http.app`. */
export interface CustomApp {
  fetch(request: Request, env?: AppEnvironment): Promise<Response>;
  /** True when the application has a route for it, and not middleware alone. */
  owns(method: string, path: string): boolean;
  /** True when something of the application wants to see requests to our routes. */
  watches(method: string, path: string): boolean;
}

/** The parts of a Hono application that tell its routes from its middleware. */
interface HonoLike {
  fetch: FetchHandler;
  router: { match(method: string, path: string): [[[Handler, ...unknown[]], ...unknown[]][], ...unknown[]] };
  notFound(handler: () => Response): unknown;
}
type Handler = ((...args: unknown[]) => unknown) & { __COMPOSED_HANDLER?: (...args: unknown[]) => unknown };
type FetchHandler = (request: Request, env?: AppEnvironment) => Response | Promise<Response>;

/** Set on the answer of an application that has nothing to say about a request. */
export const PASSED_ON = 'x-slipway-passed-on';

/** The application `http.app` names, if there is one. Throws InvalidProject when it is none. */
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
  const own = { fetch: async (request: Request, env?: AppEnvironment) => fetch(request, env) };
  if (!isHono(app)) return { ...own, owns: () => false, watches: () => false };
  app.notFound(() => new Response(null, { status: 404, headers: { [PASSED_ON]: '1' } }));
  const matches = (method: string, path: string) =>
    app.router.match(method, path)[0].map(([[handler]]) => handler);
  return {
    ...own,
    owns: (method, path) => matches(method, path).some((handler) => !isMiddleware(handler)),
    watches: (method, path) => matches(method, path).length > 0,
  };
}

const isHono = (app: unknown): app is HonoLike =>
  typeof app === 'object' &&
  app !== null &&
  typeof (app as HonoLike).router?.match === 'function' &&
  typeof (app as HonoLike).notFound === 'function';

/** Hono's own tools tell them apart the same way: middleware takes `next`. */
const isMiddleware = (handler: Handler): boolean => (handler.__COMPOSED_HANDLER ?? handler).length > 1;
