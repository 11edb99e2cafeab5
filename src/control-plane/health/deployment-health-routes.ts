import { type Static, Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import { Figures } from '../records/canary.ts';
import { figuresView } from '../canaries/canary-figures.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { readFigures } from '../gateway/traffic-figures.ts';
import { REVISION_STATUSES } from '../records/revision-lifecycle.ts';
import { page, PageQuery, Refusals } from '../wire.ts';
import { type HealthRow, readHealth } from './deployment-health-repository.ts';

const Text = Type.Union([Type.String(), Type.Null()]);

const HEALTH = ['serving', 'degraded', 'down', 'asleep', 'unknown', 'none'] as const;

const DeploymentHealth = Type.Object({
  deployment_id: Uuid,
  /** `none`: no active revision. `degraded`: some replicas are not ready. */
  health: StringEnum(HEALTH),
  replicas: Type.Object({
    wanted: Type.Integer(),
    running: Type.Integer(),
    starting: Type.Integer(),
    failing: Type.Integer(),
  }),
  window_seconds: Type.Number(),
  /** Traffic of the active revision within the window. */
  traffic: Type.Union([Figures, Type.Null()]),
  latest_revision: Type.Union([
    Type.Object({
      id: Uuid,
      number: Type.Integer(),
      status: StringEnum(REVISION_STATUSES),
      status_message: Text,
      created_at: Timestamp,
      created_by: Text,
      reason: Type.String(),
    }),
    Type.Null(),
  ]),
});

/** Health of every deployment in one response, for lists. */
export const deploymentHealthRoutes = ({ db, config }: ControlPlaneDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/v2/deployment-health',
    operationId: 'listDeploymentHealth',
    tags: ['Deployments (v2)'],
    summary: 'List health, replicas, traffic and latest revision of deployments, newest first',
    query: Type.Object({ ...PageQuery.properties, deployment_ids: Type.Optional(Type.Array(Uuid)) }),
    responses: { 200: page(DeploymentHealth), ...Refusals },
    async handle({ query: { deployment_ids: ids, limit, offset }, ctx }) {
      const rows = await readHealth(db, principalOf(ctx).tenant_id, { ids, limit, offset });
      const seconds = config.SLIPWAY_CANARY_WINDOW_SECONDS;
      const serving = rows.flatMap(({ active_revision_id: id }) => id ?? []);
      const figures = serving.length > 0 ? await readFigures(db, serving, { seconds }) : [];
      const traffic = new Map(figures.map((one) => [one.revision_id, figuresView(one)]));
      const resources = rows.map((row) => ({
        ...view(row),
        window_seconds: seconds,
        traffic: traffic.get(row.active_revision_id ?? '') ?? null,
      }));
      return { resources, offset: offset + rows.length };
    },
  }),
];

function view(row: HealthRow): Omit<Static<typeof DeploymentHealth>, 'window_seconds' | 'traffic'> {
  const { running, starting, failing, latest_id } = row;
  const wanted = row.wanted ?? running + starting + failing;
  return {
    deployment_id: row.deployment_id,
    health: healthOf(row, wanted),
    replicas: { wanted, running, starting, failing },
    latest_revision: latest_id
      ? {
          id: latest_id,
          number: row.latest_number!,
          status: row.latest_status!,
          status_message: row.latest_message,
          created_at: row.latest_at!,
          created_by: row.latest_by,
          reason: row.latest_reason!,
        }
      : null,
  };
}

function healthOf(
  { active_revision_id, wanted: desired, running, failing }: HealthRow,
  wanted: number,
): (typeof HEALTH)[number] {
  if (!active_revision_id) return 'none';
  if (desired === 0) return 'asleep';
  if (running === 0) return failing > 0 || wanted > 0 ? 'down' : 'unknown';
  return running < wanted || failing > 0 ? 'degraded' : 'serving';
}
