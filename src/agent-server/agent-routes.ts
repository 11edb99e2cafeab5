import { docsRoutes } from '../platform/http/docs-routes.ts';
import type { Route } from '../platform/http/route.ts';
import { a2aRoutes } from './a2a/a2a-routes.ts';
import type { AgentDeps } from './agent-deps.ts';
import { assistantRoutes } from './assistants/assistant-routes.ts';
import { cronRoutes } from './crons/cron-routes.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { metaRoutes } from './meta/meta-routes.ts';
import { protocolRoutes } from './protocol/protocol-routes.ts';
import { runRoutes } from './runs/run-routes.ts';
import { runSearchRoutes } from './runs/run-search-routes.ts';
import { runStreamRoutes } from './runs/run-stream-routes.ts';
import { storeRoutes } from './store/store-routes.ts';
import { threadRoutes } from './threads/thread-routes.ts';
import { threadStateRoutes } from './threads/thread-state-routes.ts';
import { threadStreamRoutes } from './threads/thread-stream-routes.ts';
import { uiRoutes } from './ui/ui-routes.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';

type Group = 'assistants' | 'threads' | 'runs' | 'event_streaming' | 'store' | 'mcp' | 'a2a' | 'ui' | 'meta';

/** Every route of an agent server; within a resource, exact paths come before parameterized ones. */
export function agentRoutes(deps: AgentDeps): Route[] {
  const http = deps.project.config.http ?? {};
  const disabled = (group: Group) => http[`disable_${group}`] === true;
  const routes = [
    ...(disabled('assistants') ? [] : assistantRoutes(deps)),
    ...(disabled('threads')
      ? []
      : [...threadRoutes(deps), ...threadStateRoutes(deps), ...threadStreamRoutes(deps)]),
    ...(disabled('runs')
      ? []
      : [
          ...cronRoutes(deps),
          ...runSearchRoutes(deps),
          ...runStreamRoutes(deps),
          ...runRoutes(deps),
          ...deliveryRoutes(deps),
        ]),
    ...(disabled('runs') || disabled('event_streaming') ? [] : protocolRoutes(deps)),
    ...(disabled('store') ? [] : storeRoutes(deps)),
    ...(disabled('ui') ? [] : uiRoutes(deps)),
    ...(disabled('mcp') ? [] : mcpRoutes(deps)),
    ...(disabled('a2a') ? [] : a2aRoutes(deps)),
  ];
  const meta = [...metaRoutes(deps, routes), ...docsRoutes('Slipway agent server')];
  return [...routes, ...(disabled('meta') ? meta.filter(({ path }) => path === '/ok') : meta)];
}
