import { Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { JsonObject, StringEnum } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { QueryDeps } from './find-runs.ts';
import { isCounted, readMinuteStats } from './minute-stats.ts';
import { bodyTests } from './run-query.ts';
import { readFacets } from './run-facets.ts';
import { readRunFilter, RunFilter } from './run-query-body.ts';
import { feedbackOfProjects, feedbackOfRuns } from './feedback-of-runs.ts';
import { EMPTY, type RunStats, readStats } from './run-stats.ts';

const MAX_GROUPS = 100;
// Up to this many runs, statistics are exact.
const EXACT = 20_000;
const optional = Type.Optional;

const StatsBody = Type.Object({
  ...RunFilter.properties,
  select: optional(Type.Array(Type.String(), { maxItems: 100 })),
  group_by: optional(
    Type.Object({
      attribute: StringEnum(['name', 'run_type', 'tag', 'metadata']),
      path: optional(Type.String({ maxLength: 1_000 })),
      max_groups: optional(Type.Integer({ minimum: 1 })),
    }),
  ),
});

export const runStatsRoutes = (deps: QueryDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/runs/stats',
    operationId: 'readRunStats',
    tags: ['Runs'],
    summary: 'Read counts, times, tokens and costs of runs that match a filter',
    body: StatsBody,
    responses: { 200: JsonObject, 400: { description: 'Invalid filter' } },
    handle: async ({ ctx, body }) => {
      const query = readRunFilter(callerOf(ctx).tenant_id, body);
      const { group_by, select } = body;
      if (group_by) {
        if (group_by.attribute === 'metadata' && !group_by.path)
          throw new InvalidRequest('body.group_by.path is required');
        const max_groups = Math.min(group_by.max_groups ?? 5, MAX_GROUPS);
        const by = { ...group_by, max_groups };
        const groups = await readStats(deps, query, by);
        const feedback = shows('feedback_stats', select) ? await feedbackOfRuns(deps, query, by) : undefined;
        return Object.fromEntries(
          groups.map(({ group, stats }) => {
            const feedback_stats = feedback?.get(group ?? '') ?? {};
            return [group ?? '', pick({ ...stats, feedback_stats }, select)];
          }),
        );
      }
      const counted = isCounted(query) ? await readMinuteStats(deps, query, EXACT) : undefined;
      const stats = counted ? { ...EMPTY, ...counted } : (await readStats(deps, query))[0]?.stats;
      const { own, ofTrace } = bodyTests(query);
      const withFacets = select?.includes('run_facets') && own.length + ofTrace.length === 0;
      const run_facets = withFacets
        ? await readFacets(deps, query, deps.config.SLIPWAY_TRACE_SEARCH_RUNS)
        : [];
      const feedback_stats = shows('feedback_stats', select)
        ? ((await feedbackOfRuns(deps, query)).get('') ?? {})
        : {};
      const session_feedback_stats = shows('session_feedback_stats', select)
        ? await feedbackOfProjects(deps, query)
        : {};
      return {
        ...pick({ ...(stats ?? EMPTY), feedback_stats, session_feedback_stats }, select),
        ...((!select || withFacets) && { run_facets }),
      };
    },
  }),
];

const ALL = new Set(['all_run_stats', 'all_token_stats']);

const isWhole = (select: string[] | undefined): boolean => !select || select.some((name) => ALL.has(name));

const shows = (name: string, select: string[] | undefined): boolean =>
  isWhole(select) || select!.includes(name);

const pick = (stats: RunStats & JsonObject, select: string[] | undefined): JsonObject =>
  isWhole(select)
    ? stats
    : Object.fromEntries(Object.entries(stats).filter(([name]) => select!.includes(name)));
