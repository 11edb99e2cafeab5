import type { Scenario } from '../scenario.ts';
import { backgroundRuns, enqueuedRuns, sleepers } from './background.ts';
import { cancelling } from './cancel.ts';
import { cronLateness } from './crons.ts';
import { firstEvent, waitOnFreshThreads, waitOnWarmThread } from './latency.ts';
import { longThread } from './long-thread.ts';
import { threadSearch } from './search.ts';
import { oneStream, tenStreams } from './streams.ts';
import { supersteps } from './supersteps.ts';
import { freshThreadsTogether, warmThreadsTogether } from './throughput.ts';

/** In execution order: scenarios that leave many threads behind, whose workflows then close, come last. */
export const SCENARIOS: Scenario[] = [
  waitOnWarmThread,
  firstEvent,
  cancelling,
  cronLateness,
  enqueuedRuns,
  oneStream,
  tenStreams,
  longThread,
  threadSearch,
  warmThreadsTogether,
  supersteps,
  waitOnFreshThreads,
  freshThreadsTogether,
  backgroundRuns,
  sleepers,
];

/** The scenarios with these names, by default all. Throws on an unknown name. */
export function selectScenarios(names: string[]): Scenario[] {
  const chosen = SCENARIOS.filter(
    ({ name, goals }) =>
      names.length === 0 || names.includes(name) || goals.some((goal) => names.includes(goal.name)),
  );
  const known = new Set(SCENARIOS.flatMap(({ name, goals }) => [name, ...goals.map((goal) => goal.name)]));
  const strange = names.filter((name) => !known.has(name));
  if (strange.length > 0)
    throw new Error(`No scenario named ${strange.join(', ')}; there are ${[...known].join(', ')}`);
  return chosen;
}
