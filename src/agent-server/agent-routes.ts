import type { Route } from '../platform/http/route.ts';
import type { AgentDeps } from './agent-deps.ts';
import { assistantRoutes } from './assistants/assistant-routes.ts';
import { docsRoutes } from './meta/docs-routes.ts';
import { metaRoutes } from './meta/meta-routes.ts';
import { runRoutes } from './runs/run-routes.ts';
import { runStreamRoutes } from './runs/run-stream-routes.ts';
import { storeRoutes } from './store/store-routes.ts';
import { threadRoutes } from './threads/thread-routes.ts';
import { threadStateRoutes } from './threads/thread-state-routes.ts';
import { threadStreamRoutes } from './threads/thread-stream-routes.ts';

type Group = 'assistants' | 'threads' | 'runs' | 'store' | 'meta';

/** Every route of an agent server; the more exact paths of a resource come before those with parameters. */
export function agentRoutes(deps: AgentDeps): Route[] {
  const http = deps.project.config.http ?? {};
  const disabled = (group: Group) => http[`disable_${group}`] === true;
  const routes = [
    ...(disabled('assistants') ? [] : assistantRoutes(deps)),
    ...(disabled('threads')
      ? []
      : [...threadRoutes(deps), ...threadStateRoutes(deps), ...threadStreamRoutes(deps)]),
    ...(disabled('runs') ? [] : [...runStreamRoutes(deps), ...runRoutes(deps)]),
    ...(disabled('store') ? [] : storeRoutes(deps)),
  ];
  const meta = [...metaRoutes(deps, routes), ...docsRoutes()];
  return [...routes, ...(disabled('meta') ? meta.filter(({ path }) => path === '/ok') : meta)];
}
