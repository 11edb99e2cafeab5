import type { JsonObject } from '../../platform/schema.ts';
import type { FeedbackStats } from '../feedback/feedback-stats.ts';
import type { ThreadDetails } from '../query/thread-details.ts';
import type { ThreadRow } from '../query/threads.ts';
import type { RunView } from '../query/run-view.ts';
import { latencyOf, numberOf, v2Run } from './v2-run.ts';
import { neededFor, type Select, SELECTS } from './v2-select.ts';

/** A thread in a list (contract §1.14) with feedback on its runs. */
export function v2Thread(thread: ThreadRow, feedback_stats: FeedbackStats = {}): JsonObject {
  const { thread_id, count, errors, min_start_time, max_start_time } = thread;
  const { latency_p50, latency_p95, latency_p99 } = thread;
  const { first_trace_id, last_trace_id, first_inputs, last_outputs, last_error, total_tokens } = thread;
  return {
    thread_id,
    count,
    num_errored_turns: errors,
    start_time: max_start_time,
    min_start_time,
    max_start_time,
    latency_p50,
    latency_p95,
    latency_p99,
    trace_id: last_trace_id,
    first_trace_id,
    last_trace_id,
    first_inputs,
    last_outputs,
    ...(last_error !== null && { last_error }),
    total_tokens,
    total_cost: numberOf(thread.total_cost),
    feedback_stats,
  };
}

/** A thread with its usage details and feedback. */
export interface WholeThread extends ThreadRow {
  details: ThreadDetails;
  feedback: FeedbackStats;
}

const STATS: Record<string, [name: string, value: (thread: WholeThread) => unknown]> = {
  TURNS: ['turns', ({ count }) => count],
  FIRST_START_TIME: ['first_start_time', ({ min_start_time }) => min_start_time],
  LAST_START_TIME: ['last_start_time', ({ max_start_time }) => max_start_time],
  LAST_END_TIME: ['last_end_time', ({ max_end_time }) => max_end_time],
  LATENCY_P50: ['latency_p50_seconds', ({ latency_p50 }) => latency_p50],
  LATENCY_P95: ['latency_p95_seconds', ({ latency_p95 }) => latency_p95],
  LATENCY_P99: ['latency_p99_seconds', ({ latency_p99 }) => latency_p99],
  PROMPT_TOKENS: ['prompt_tokens', ({ prompt_tokens }) => prompt_tokens],
  PROMPT_COST: ['prompt_cost', ({ prompt_cost }) => numberOf(prompt_cost)],
  COMPLETION_TOKENS: ['completion_tokens', ({ completion_tokens }) => completion_tokens],
  COMPLETION_COST: ['completion_cost', ({ completion_cost }) => numberOf(completion_cost)],
  TOTAL_TOKENS: ['total_tokens', ({ total_tokens }) => total_tokens],
  TOTAL_COST: ['total_cost', ({ total_cost }) => numberOf(total_cost)],
  PROMPT_TOKEN_DETAILS: ['prompt_token_details', ({ details }) => rawOf(details.prompt_token_details)],
  COMPLETION_TOKEN_DETAILS: [
    'completion_token_details',
    ({ details }) => rawOf(details.completion_token_details),
  ],
  PROMPT_COST_DETAILS: ['prompt_cost_details', ({ details }) => rawOf(details.prompt_cost_details)],
  COMPLETION_COST_DETAILS: [
    'completion_cost_details',
    ({ details }) => rawOf(details.completion_cost_details),
  ],
  FEEDBACK_STATS: ['feedback_stats', ({ feedback }) => feedback],
};
export const THREAD_STATS = Object.keys(STATS);

const rawOf = (sums: Record<string, number> | undefined) => (sums ? { raw: sums } : null);

/** An unknown thread has zero turns. */
export function threadStats(thread: WholeThread | undefined, selects: readonly string[]): JsonObject {
  if (!thread) return selects.includes('TURNS') ? { turns: 0 } : {};
  return Object.fromEntries(
    selects.map((select) => {
      const [name, value] = STATS[select]!;
      return [name, value(thread)];
    }),
  );
}

const RUN_SELECTS: ReadonlySet<string> = new Set(SELECTS);
export const TRACE_SELECTS = [
  'THREAD_ID',
  'TRACE_ID',
  'OP',
  'PROMPT_TOKENS',
  'COMPLETION_TOKENS',
  'TOTAL_TOKENS',
  'START_TIME',
  'END_TIME',
  'LATENCY',
  'FIRST_TOKEN_TIME',
  'INPUTS_PREVIEW',
  'OUTPUTS_PREVIEW',
  'INPUTS',
  'OUTPUTS',
  'ERROR',
  'PROMPT_COST',
  'COMPLETION_COST',
  'TOTAL_COST',
  'PROMPT_TOKEN_DETAILS',
  'COMPLETION_TOKEN_DETAILS',
  'PROMPT_COST_DETAILS',
  'COMPLETION_COST_DETAILS',
  'NAME',
  'ERROR_PREVIEW',
] as const;
type TraceSelect = (typeof TRACE_SELECTS)[number];

const ofRun = (selects: readonly TraceSelect[]) =>
  selects.filter((select): select is TraceSelect & Select => RUN_SELECTS.has(select));

export const neededForTrace = (selects: readonly TraceSelect[]) => neededFor(ofRun(selects));

/** A turn of a thread. Always includes the trace id. */
export function threadTrace(view: RunView, selects: readonly TraceSelect[]): JsonObject {
  const { id, ...turn } = v2Run(view, ofRun(selects));
  return {
    trace_id: view['trace_id'] ?? id,
    ...turn,
    ...(selects.includes('LATENCY') && { latency: latencyOf(view) }),
    ...(selects.includes('OP') && { op: null }),
  };
}
