import type { RunToExecute, TurnProgress } from '../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { executeRun, executeWaiting } from './execute-run.ts';

// Reporting to the workflow costs as much as a short run, so short runs follow each other without it.
export const CONTINUES_MS = 250;
// Until the report, the workflow can't tell which run an operator's cancellation is for.
const REPORT_AFTER_MS = 500;

export interface TurnOptions {
  /** In queue order. */
  runs: readonly RunToExecute[];
  turn: number;
  signal: AbortSignal;
  /** Whether an earlier attempt at this turn was lost; the workflow then needs its result soon. */
  isRepeated: boolean;
  /** Reports to the workflow which run executes. */
  report: (progress: TurnProgress) => Promise<void>;
  /** Called with each run that starts. */
  onStart?: (progress: TurnProgress) => void;
  /** Milliseconds in which further runs start. */
  continuesMs?: number;
}

/**
 * Executes the first run and, for a quarter of a second, the runs behind it, each with a claim of its own. Throws like
 * `executeRun`; settled runs stay settled.
 */
export async function executeTurn(
  deps: AgentDeps,
  { runs, turn, signal, isRepeated, report, onStart, continuesMs = CONTINUES_MS }: TurnOptions,
): Promise<TurnProgress> {
  const continuesUntil = performance.now() + (isRepeated ? 0 : continuesMs);
  const isOver = () => signal.aborted || deps.running.isLeaving || performance.now() >= continuesUntil;
  const settled: string[] = [];
  let current: string | undefined;
  let more = false;
  const reporter = setTimeout(() => {
    report({ turn, settled: [...settled], ...(current && { current }) }).catch((error: unknown) =>
      deps.log.warn(
        { err: error, run_id: current },
        'could not report the executing run to the thread workflow',
      ),
    );
  }, REPORT_AFTER_MS);
  try {
    for (const run of runs) {
      const isFirst = run === runs[0];
      if (!isFirst && isOver()) break;
      current = run.run_id;
      onStart?.({ turn, settled: [...settled], current });
      const result = await (isFirst ? executeRun : executeWaiting)(deps, { ...run, signal });
      if (result === 'stopped') return { turn, settled, current };
      if (result === undefined) break;
      settled.push(current);
      more = result === 'followed';
    }
    return { turn, settled, ...(more && { more }) };
  } finally {
    clearTimeout(reporter);
  }
}
