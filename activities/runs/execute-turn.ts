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
  /** Milliseconds in which further runs start. */
  continuesMs: number;
  /** Reports to the workflow which run executes. */
  report: (progress: TurnProgress) => Promise<void>;
  /** Called with each run that starts. */
  onStart?: (progress: TurnProgress) => void;
  /** Leaves the first run alone if another process has started it. */
  isFirstWaiting?: boolean;
}

/**
 * Executes the first run and, for `continuesMs`, the runs behind it, each with its own claim. Throws what `executeRun`
 * throws; settled runs stay settled.
 */
export async function executeTurn(
  deps: AgentDeps,
  { runs, turn, signal, continuesMs, report, onStart, isFirstWaiting = false }: TurnOptions,
): Promise<TurnProgress> {
  const continuesUntil = performance.now() + continuesMs;
  const isOver = () => signal.aborted || deps.running.isLeaving || performance.now() >= continuesUntil;
  const settled: string[] = [];
  let progress: TurnProgress = { turn, settled: [] };
  let more = false;
  const reporter = setTimeout(() => {
    report(progress).catch((error: unknown) =>
      deps.log.warn(
        { err: error, run_id: progress.current },
        'could not report the executing run to the thread workflow',
      ),
    );
  }, REPORT_AFTER_MS);
  try {
    for (const run of runs) {
      const isFirst = run === runs[0];
      if (!isFirst && isOver()) break;
      progress = { turn, settled: [...settled], current: run.run_id };
      onStart?.(progress);
      const execute = isFirst && !isFirstWaiting ? executeRun : executeWaiting;
      const result = await execute(deps, { ...run, signal });
      if (result === 'stopped') return progress;
      if (result === undefined) break;
      settled.push(run.run_id);
      more = result === 'followed';
    }
    return { turn, settled, ...(more && { more }) };
  } finally {
    clearTimeout(reporter);
  }
}
