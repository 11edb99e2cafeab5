import type { ExecuteRunResult } from '../../../workflows/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { underRunContext } from '../encryption/encryption-context.ts';
import { type Claim, claimRun } from './run-claim.ts';
import { RunAttempt } from './run-attempt.ts';

export interface ExecuteRunOptions {
  run_id: string;
  /** Most milliseconds from the run's first start to its end. */
  timeout_ms: number;
  /** Tells the graph to leave; its reason is a StopCause. */
  signal: AbortSignal;
}

/**
 * Executes a run from where its last checkpoint is to its outcome. A run this process already executes is joined,
 * so an attempt that Temporal lost sight of is not repeated. Throws what is worth another attempt.
 */
export async function executeRun(deps: AgentDeps, options: ExecuteRunOptions): Promise<ExecuteRunResult> {
  const { running, db } = deps;
  const underWay = running.find(options.run_id);
  if (underWay) return underWay;
  const claim = await claimRun(db, options.run_id);
  return claim ? attempt(deps, claim, options) : 'settled';
}

/** Executes a run that nobody has begun; undefined when there is no such run. */
export async function executeWaiting(
  deps: AgentDeps,
  options: ExecuteRunOptions,
): Promise<ExecuteRunResult | undefined> {
  const claim = await claimRun(deps.db, options.run_id, ['pending']);
  return claim && attempt(deps, claim, options);
}

const attempt = (deps: AgentDeps, claim: Claim, { signal, timeout_ms }: ExecuteRunOptions) =>
  deps.running.hold(claim.run_id, claim.epoch, (stop) =>
    underRunContext(claim.kwargs.config.configurable, () =>
      new RunAttempt(deps, claim, AbortSignal.any([stop, signal])).execute(timeout_ms),
    ),
  );
