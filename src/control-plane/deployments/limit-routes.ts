import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Refusals } from '../wire.ts';
import { countDeployments } from '../records/deployment-repository.ts';

const Count = Type.Integer();

const Limits = Type.Object({
  deployments: Type.Object({ used: Count, limit: Count }),
  /** Most replicas per revision. */
  replicas: Count,
  previews: Count,
  /** Artifacts kept per deployment in addition to those in use: how far you can roll back. */
  kept_artifacts: Count,
  log_days: Count,
  traffic_days: Count,
  preview_days: Count,
  upload_bytes: Count,
  registry_bytes: Count,
  build_seconds: Type.Number(),
  session_seconds: Type.Number(),
});

/** Limits, usage and retention of the workspace. */
export const limitRoutes = ({ db, config }: ControlPlaneDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/v2/limits',
    operationId: 'getLimits',
    tags: ['Access'],
    summary: 'Get limits, usage and retention of the workspace',
    responses: { 200: Limits, ...Refusals },
    handle: async ({ ctx }) => ({
      deployments: {
        used: await countDeployments(db, principalOf(ctx).tenant_id),
        limit: config.SLIPWAY_TENANT_DEPLOYMENTS,
      },
      replicas: config.SLIPWAY_REPLICAS_LIMIT,
      previews: config.SLIPWAY_PREVIEWS,
      kept_artifacts: config.SLIPWAY_KEPT_ARTIFACTS,
      log_days: config.SLIPWAY_LOG_DAYS,
      traffic_days: config.SLIPWAY_TRAFFIC_DAYS,
      preview_days: config.SLIPWAY_PREVIEW_DAYS,
      upload_bytes: config.SLIPWAY_UPLOAD_LIMIT_BYTES,
      registry_bytes: config.SLIPWAY_REGISTRY_LIMIT_BYTES,
      build_seconds: config.SLIPWAY_BUILD_TIMEOUT_SECONDS,
      session_seconds: config.SLIPWAY_SESSION_SECONDS,
    }),
  }),
];
