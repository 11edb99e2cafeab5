import { type Static, Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { requireDeployment } from '../deployments/deployment-service.ts';
import { requireRevision } from '../revisions/revision-service.ts';
import { Refusals } from '../wire.ts';
import { listLines, type LogFilter } from './log-repository.ts';

const Moment = Type.Optional(Type.Union([Timestamp, Type.Null()]));
const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Filters (contract §4.7). */
const LogQuery = Type.Object({
  order: StringEnum(['asc', 'desc'], { default: 'desc' }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
  /** `next_offset` of the previous page. */
  offset: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.String(), Type.Null()])),
  level: Text,
  /** Case-insensitive substring. */
  query: Text,
  /** Earliest line, inclusive. */
  start_time: Moment,
  end_time: Moment,
});
type LogQuery = Static<typeof LogQuery>;

export const LogLine = Type.Object({
  id: Type.String(),
  /** Milliseconds since 1970. */
  timestamp: Type.Number(),
  level: Type.String(),
  message: Type.String(),
});

const Logs = Type.Object({
  logs: Type.Array(LogLine),
  next_offset: Type.Union([Type.String(), Type.Null()]),
});

const ProjectPath = Type.Object({ project_id: Uuid });
const RevisionPath = Type.Object({ project_id: Uuid, revision_id: Uuid });

/** Logs by POST, as existing clients read them. */
export const logRoutes = (deps: ControlPlaneDeps, prefix: string): Route[] => {
  const route = { tags: ['Logs'], hidden: prefix !== '', method: 'post', body: LogQuery } as const;
  const project = `${prefix}/v1/projects/{project_id}`;
  const ofRevision = (phase: 'build' | 'deploy', [operationId, summary]: [string, string]) =>
    defineRoute({
      ...route,
      path: `${project}/revisions/{revision_id}/${phase}_logs`,
      operationId,
      summary,
      params: RevisionPath,
      responses: { 200: Logs, ...Refusals },
      async handle({ params: { project_id, revision_id }, body, ctx }) {
        await requireRevision(deps, principalOf(ctx), project_id, revision_id);
        return readLines(deps, { phase, deployment_id: project_id, revision_id }, body);
      },
    });
  return [
    ofRevision('build', ['readBuildLogs', 'Read the build logs of a revision']),
    ofRevision('deploy', ['readDeployLogs', 'Read the runtime logs of a revision']),
    defineRoute({
      ...route,
      path: `${project}/deploy_logs`,
      operationId: 'readDeploymentLogs',
      summary: 'Read the runtime logs of a deployment',
      params: ProjectPath,
      responses: { 200: Logs, ...Refusals },
      async handle({ params: { project_id }, body, ctx }) {
        await requireDeployment(deps.db, principalOf(ctx), project_id);
        return readLines(deps, { phase: 'deploy', deployment_id: project_id }, body);
      },
    }),
  ];
};

async function readLines(
  { db }: ControlPlaneDeps,
  of: Pick<LogFilter, 'phase' | 'deployment_id' | 'revision_id'>,
  { order, limit, offset, level, query, start_time, end_time }: LogQuery,
): Promise<Static<typeof Logs>> {
  const after = /^\d{1,18}$/.exec(String(offset ?? ''))?.[0];
  const logs = await listLines(db, {
    ...of,
    order,
    limit,
    after,
    level: level ? levelOf(level) : undefined,
    query: query ?? undefined,
    start_time: momentOf(start_time),
    end_time: momentOf(end_time),
  });
  // In ascending order there may be more later, so the cursor stays.
  const next = logs.at(-1)?.id ?? (order === 'asc' ? after : undefined);
  const more = order === 'asc' || logs.length === limit;
  return { logs, next_offset: (more && next) || null };
}

// Postgres knows no leap seconds, and no line is older than 1970.
const momentOf = (text: string | null | undefined): Date | undefined =>
  text ? new Date(Math.max(0, Date.parse(text.replace(/:60(?=[.Z+-])/i, ':59')) || 0)) : undefined;

/** Accepts the clients' level names in any case. */
const levelOf = (name: string): string => {
  const lower = name.toLowerCase();
  return lower === 'warning' ? 'warn' : lower === 'critical' || lower === 'fatal' ? 'error' : lower;
};
