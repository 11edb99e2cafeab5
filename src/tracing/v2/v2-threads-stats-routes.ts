import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { FeedbackStats } from '../feedback/feedback-stats.ts';
import { feedbackOfRuns } from '../query/feedback-of-runs.ts';
import type { QueryDeps } from '../query/find-runs.ts';
import { conditionOf } from '../query/run-query-body.ts';
import { EMPTY, readStats, type RunStats } from '../query/run-stats.ts';
import { type ThreadDetails, threadDetails } from '../query/thread-details.ts';
import { countThreads } from '../query/threads.ts';
import { needJson, windowOf } from './v2-request.ts';
import { numberOf } from './v2-run.ts';
import { tags } from './v2-runs-routes.ts';

interface Read {
  stats: RunStats;
  threads: number;
  details: ThreadDetails;
  feedback: FeedbackStats;
}

const STATS: Record<string, [name: string, value: (read: Read) => unknown]> = {
  THREAD_COUNT: ['thread_count', ({ threads }) => threads],
  TRACE_COUNT: ['trace_count', ({ stats }) => stats.run_count],
  TOTAL_TOKENS: ['total_tokens', ({ stats }) => stats.total_tokens],
  TOTAL_COST: ['total_cost', ({ stats }) => numberOf(stats.total_cost)],
  ERROR_RATE: ['error_rate', ({ stats }) => stats.error_rate],
  STREAMING_RATE: ['streaming_rate', ({ stats }) => stats.streaming_rate],
  LATENCY_P50: ['latency_p50_seconds', ({ stats }) => stats.latency_p50],
  LATENCY_P95: ['latency_p95_seconds', ({ stats }) => stats.latency_p95],
  LATENCY_P99: ['latency_p99_seconds', ({ stats }) => stats.latency_p99],
  MEDIAN_TOKENS: ['median_tokens', ({ stats }) => stats.median_tokens],
  FIRST_TOKEN_P50: ['first_token_p50_seconds', ({ stats }) => stats.first_token_p50],
  FIRST_TOKEN_P95: ['first_token_p95_seconds', ({ stats }) => stats.first_token_p95],
  FIRST_TOKEN_P99: ['first_token_p99_seconds', ({ stats }) => stats.first_token_p99],
  PROMPT_TOKENS: ['prompt_tokens', ({ stats }) => stats.prompt_tokens],
  COMPLETION_TOKENS: ['completion_tokens', ({ stats }) => stats.completion_tokens],
  PROMPT_COST: ['prompt_cost', ({ stats }) => numberOf(stats.prompt_cost)],
  COMPLETION_COST: ['completion_cost', ({ stats }) => numberOf(stats.completion_cost)],
  PROMPT_TOKEN_DETAILS: ['prompt_token_details', ({ details }) => details.prompt_token_details ?? {}],
  COMPLETION_TOKEN_DETAILS: [
    'completion_token_details',
    ({ details }) => details.completion_token_details ?? {},
  ],
  PROMPT_COST_DETAILS: ['prompt_cost_details', ({ details }) => details.prompt_cost_details ?? {}],
  COMPLETION_COST_DETAILS: [
    'completion_cost_details',
    ({ details }) => details.completion_cost_details ?? {},
  ],
  THREAD_FEEDBACK_STATS: ['thread_feedback_stats', ({ feedback }) => feedback],
};

const optional = Type.Optional;

/** Statistics over all threads of a project in version 2 of the API (contract §1.14). */
export const v2ThreadsStatsRoutes = (deps: QueryDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/v2/threads/stats',
    operationId: 'readThreadsStatsV2',
    tags,
    summary: 'Read counts, times, tokens and costs of all matching threads',
    body: Type.Object({
      project_id: Uuid,
      select: Type.Array(StringEnum(Object.keys(STATS)), { minItems: 1 }),
      filter: optional(Type.String()),
      thread_filter: optional(Type.String()),
      trace_filter: optional(Type.String()),
      tree_filter: optional(Type.String()),
      min_start_time: optional(Type.String()),
      max_start_time: optional(Type.String()),
    }),
    responses: { 200: JsonObject, 406: Detail },
    handle: async ({ ctx, body }) => {
      needJson(ctx);
      const ofRoots = ['neq(thread_id, null)', body.filter, body.thread_filter, body.trace_filter].flatMap(
        (filter) => conditionOf(filter) ?? [],
      );
      const query = {
        tenant_id: callerOf(ctx).tenant_id,
        projects: [body.project_id],
        ...windowOf(body),
        trace_filter: { all: ofRoots },
        tree_filter: conditionOf(body.tree_filter),
      };
      const roots = { ...query, is_root: true };
      const reads = (pattern: RegExp) => body.select.some((name) => pattern.test(name));
      const [threads, details, feedback, stats] = await Promise.all([
        reads(/^THREAD_COUNT/) ? countThreads(deps, roots) : 0,
        reads(/_DETAILS$/) ? threadDetails(deps, roots) : {},
        reads(/FEEDBACK/) ? feedbackOfRuns(deps, query) : undefined,
        readStats(deps, roots),
      ]);
      const read = { threads, details, feedback: feedback?.get('') ?? {}, stats: stats[0]?.stats ?? EMPTY };
      return Object.fromEntries(body.select.map((select) => [STATS[select]![0], STATS[select]![1](read)]));
    },
  }),
];
