import type { Middleware } from 'koa';
import type { AgentDeps } from './agent-deps.ts';
import { identify } from './auth/auth-middleware.ts';
import { customRoutes } from './custom-app/custom-routes.ts';
import { mountPrefix } from './custom-app/mount-prefix.ts';
import { encryptionContext } from './encryption/encryption-context.ts';
import { cors } from './meta/cors.ts';
import { measureHttp } from './meta/metrics.ts';

/** The middleware in front of the routes, outermost first. */
export function agentMiddleware(deps: AgentDeps, hasRoute: (path: string) => boolean): Middleware[] {
  const { http = {} } = deps.project.config;
  const access = http.enable_custom_route_auth ? deps.access : undefined;
  const { middleware_order } = http;
  const routing = {
    isOurs: hasRoute,
    access,
    middlewareFirst: middleware_order === 'middleware_first',
    bodyLimit: deps.config.SLIPWAY_BODY_LIMIT_BYTES,
  };
  const custom = deps.app ? [customRoutes({ app: deps.app, ...routing })] : [];
  const known = identify(deps.access, hasRoute);
  const order = middleware_order === 'auth_first' ? [known, ...custom] : [...custom, known];
  return [
    measureHttp(deps),
    // Behind a platform's gateway, browsers hold its key, so allow only the origins that the project names.
    cors(http.cors ?? (deps.config.SLIPWAY_GATEWAY_TOKEN === undefined ? {} : { allow_origins: [] })),
    ...(http.mount_prefix ? [mountPrefix(http.mount_prefix)] : []),
    ...order,
    ...(deps.encryption ? [encryptionContext(deps.encryption)] : []),
  ];
}
