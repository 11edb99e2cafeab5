import type { RunToExecute, TurnProgress } from '../../../workflows/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { executeRun, executeWaiting } from './execute-run.ts';

// Short runs follow each other without a word to the workflow, which costs as much as one of them.
const GOES_ON_MS = 250;
// What takes longer is named: until then the workflow cannot say which run an operator's cancellation meets.
const TELLS_AFTER_MS = 500;

export interface TurnOptions {
  /** In the order of their thread's queue. */
  runs: readonly RunToExecute[];
  turn: number;
  signal: AbortSignal;
  /** True when an earlier attempt at this turn was lost: the workflow then has to see what it had come to. */
  isRepeated: boolean;
  /** Tells the workflow which run executes. */
  tell: (progress: TurnProgress) => Promise<void>;
}

/**
 * Executes the first run, and goes on with those behind it for as long as it is early, each claimed as if it were
 * alone. Throws what `executeRun` throws; what has its outcome by then keeps it.
 */
export async function executeTurn(
  deps: AgentDeps,
  { runs, turn, signal, isRepeated, tell }: TurnOptions,
): Promise<TurnProgress> {
  const goesOnUntil = performance.now() + (isRepeated ? 0 : GOES_ON_MS);
  const isOver = () => signal.aborted || deps.running.isLeaving || performance.now() >= goesOnUntil;
  const settled: string[] = [];
  let current: string | undefined;
  const teller = setTimeout(() => {
    tell({ turn, settled: [...settled], ...(current && { current }) }).catch((error: unknown) =>
      deps.log.warn({ err: error, run_id: current }, 'the queue was not told which run executes'),
    );
  }, TELLS_AFTER_MS);
  try {
    for (const run of runs) {
      const isFirst = run === runs[0];
      if (!isFirst && isOver()) break;
      current = run.run_id;
      const result = await (isFirst ? executeRun : executeWaiting)(deps, { ...run, signal });
      if (result === 'stopped') return { turn, settled, current };
      if (result === undefined) break;
      settled.push(current);
    }
    return { turn, settled };
  } finally {
    clearTimeout(teller);
  }
}
