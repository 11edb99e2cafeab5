import { Type } from 'typebox';
import { defineRoute, type Route } from '../platform/http/route.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { apiKeyRoutes } from './access/api-key-routes.ts';
import { sessionRoutes } from './access/session-routes.ts';
import { signInRoutes } from './access/sign-in-routes.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { artifactRoutes } from './builds/artifact-routes.ts';
import { deploymentRoutes } from './deployments/deployment-routes.ts';
import { deploymentHealthRoutes } from './health/deployment-health-routes.ts';
import { limitRoutes } from './deployments/limit-routes.ts';
import { pushTokenRoute } from './deployments/push-token-routes.ts';
import { idempotent } from './idempotency/idempotent.ts';
import { gitEventRoute } from './git-events/git-event-routes.ts';
import { integrationRecordRoutes } from './integrations/integration-record-routes.ts';
import { integrationRoutes } from './integrations/integration-routes.ts';
import { listenerRoutes } from './listeners/listener-routes.ts';
import { logRoutes } from './logs/log-routes.ts';
import { projectRevisionRoutes } from './projects/project-revision-routes.ts';
import { projectRoutes } from './projects/project-routes.ts';
import { revisionRoutes } from './revisions/revision-routes.ts';
import { timelineRoutes } from './logs/timeline-routes.ts';
import { uploadRoutes, uploadUrlRoutes } from './deployments/upload-routes.ts';
import type { Vocabulary } from './vocabulary.ts';

const MOUNTS: [prefix: string, vocabulary: Vocabulary][] = [
  ['', 'plain'],
  ['/api-host', 'client'],
];

/** All routes of the control plane; those that clients call exist in both vocabularies (contract §0). */
export const controlPlaneRoutes = (deps: ControlPlaneDeps): Route[] => [
  ...MOUNTS.flatMap(([prefix, vocabulary]) => [
    ...[
      ...deploymentRoutes(deps, prefix, vocabulary),
      ...revisionRoutes(deps, prefix, vocabulary),
      ...projectRoutes(deps, prefix, vocabulary),
      ...projectRevisionRoutes(deps, prefix, vocabulary),
      ...listenerRoutes(deps, prefix),
    ].map((route) => idempotent(deps, route)),
    ...integrationRoutes(deps, prefix),
    ...logRoutes(deps, prefix),
    ...uploadUrlRoutes(deps, prefix),
    pushTokenRoute(deps, prefix),
    healthRoute(prefix),
  ]),
  ...uploadRoutes(deps),
  ...artifactRoutes(deps),
  ...timelineRoutes(deps),
  ...deploymentHealthRoutes(deps),
  ...limitRoutes(deps),
  ...integrationRecordRoutes(deps).map((route) => idempotent(deps, route)),
  gitEventRoute(deps),
  ...apiKeyRoutes(deps).map((route) => idempotent(deps, route)),
  ...auditRoutes(deps),
  ...signInRoutes(deps),
  ...sessionRoutes(deps),
];

const healthRoute = (prefix: string): Route =>
  defineRoute({
    method: 'get',
    path: `${prefix}/ok`,
    operationId: 'ok',
    tags: ['System'],
    summary: 'Health',
    hidden: prefix !== '',
    responses: { 200: Type.Object({ ok: Type.Boolean() }) },
    handle: () => ({ ok: true }),
  });
