import type { Route } from '../../platform/http/route.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { commitRoutes } from './commit-routes.ts';
import { directoryRoutes } from './directory-routes.ts';
import { repoRoutes } from './repo-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import { tagRoutes } from './tag-routes.ts';

/** The prompt hub (contract §1.13). */
export const hubRoutes = (deps: TracingDeps): Route[] => [
  ...settingsRoutes(deps),
  ...repoRoutes(deps),
  ...tagRoutes(deps),
  ...commitRoutes(deps),
  ...directoryRoutes(deps),
];
