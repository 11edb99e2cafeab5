import { timeEach } from '../pacing.ts';
import { expectEqual, type Goal } from '../scenario.ts';
import { median } from '../statistics.ts';
import { COMMON_WORD } from './corpus.ts';
import { LARGE, million, RARE_WORD, RUNS, RUNS_OF_A_RARE_WORD } from './million.ts';
import type { Part } from './tracing-part.ts';

const TIMES = 15;
const WARM_UP = 3;

interface Asked {
  goal: Goal;
  path: string;
  body: object;
  /** Number of runs that the response must contain, or that statistics must count. */
  expected: number;
}

/** Measures the median of several sequential requests. Creates the data first. */
const part = (
  requests: Record<string, Omit<Asked, 'goal'>>,
  target: Goal['target'],
  about: string,
): Part => ({
  goals: Object.keys(requests).map(
    (name) => ({ name, unit: 'ms', target, about: `${about}: median` }) as Goal,
  ),
  prepare: million,
  async measure(tracing) {
    const { session, trace } = await million(tracing);
    const figures: Record<string, { value: number; samples: number[] }> = {};
    for (const [name, { path, body, expected }] of Object.entries(requests)) {
      const of = path === '/runs/query' && 'trace' in body ? { trace } : { session: [session] };
      const samples = await timeEach(WARM_UP + TIMES, async () => {
        const answer = await tracing.sender.ask<{ runs?: unknown[]; run_count?: number }>(path, {
          ...body,
          ...of,
        });
        expectEqual(answer.runs?.length ?? answer.run_count, expected, name);
      });
      figures[name] = { value: median(samples.slice(WARM_UP)), samples: samples.slice(WARM_UP) };
    }
    return { figures, operations: Object.keys(requests).length * (WARM_UP + TIMES) };
  },
});

const page = (body: object, expected = 100) => ({
  path: '/runs/query',
  body: { limit: 100, ...body },
  expected,
});
const LIST =
  'id name run_type status start_time end_time error inputs_preview outputs_preview total_tokens total_cost tags';
const select = LIST.split(' ');
const tree = [...select, 'parent_run_id', 'dotted_order', 'prompt_tokens', 'completion_tokens'];

/** First pages as the console's list shows them, and one with all fields. */
export const query = part(
  {
    'query-roots': page({ select, is_root: true }),
    'query-type-latency': page({ select, filter: 'and(eq(run_type, "llm"), gt(latency, "20s"))' }),
    'query-error': page({ select, error: true }),
    'query-status': page({ select, filter: 'eq(status, "error")' }),
    'query-tag': page({ select, filter: 'has(tags, "t77")' }),
    'query-metadata': page(
      { select, filter: 'and(eq(metadata_key, "user"), eq(metadata_value, "u42"))' },
      Math.min(100, RUNS / 5_000),
    ),
    'query-tree': page({ select, is_root: true, tree_filter: 'eq(status, "error")' }),
    'query-root-tag': page({ select, trace_filter: 'has(tags, "t70")' }),
    'query-name': page({ select, filter: 'eq(name, "model")' }),
    'query-no-name': page({ select, filter: 'eq(name, "nobody")' }, 0),
    'query-word': page({ select, filter: `search(outputs, "${COMMON_WORD}")` }),
    'query-rare-word': page({ select, filter: `search("${RARE_WORD}")` }, RUNS / RUNS_OF_A_RARE_WORD),
    'query-no-word': page({ select, filter: 'search("nobodywrotethis")' }, 0),
    'query-whole': page({}),
  },
  { atMost: 50 },
  `a first page of 100 of ${RUNS} runs`,
);

// Fields that the console requests to open a trace (console/src/api/tracing-runs.ts).
const opened = ['parent_run_id', 'end_time', 'first_token_time', 'total_tokens', 'total_cost'];

export const trace = part(
  {
    'trace-console': {
      path: '/runs/query',
      body: { trace: '', select: opened, order: 'asc' },
      expected: LARGE,
    },
    'trace-tree': { path: '/runs/query', body: { trace: '', select: tree }, expected: LARGE },
    'trace-whole': { path: '/runs/query', body: { trace: '' }, expected: LARGE },
  },
  { atMost: 300 },
  `a trace of ${LARGE} runs, as opened by the console, with previews, and with all inputs and outputs`,
);

export const stats = part(
  {
    'stats-all': { path: '/runs/stats', body: {}, expected: RUNS + 1 },
    'stats-roots': { path: '/runs/stats', body: { is_root: true }, expected: RUNS / 10 + 1 },
    'stats-models': { path: '/runs/stats', body: { run_type: 'llm' }, expected: RUNS / 5 },
  },
  { atMost: 300 },
  `statistics of a day of ${RUNS} runs`,
);
