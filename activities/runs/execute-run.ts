import type { AttemptEnd } from '../../src/agent-server/runs/running-runs.ts';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { underRunContext } from '../../src/agent-server/encryption/encryption-context.ts';
import { type Claim, claimRun } from '../../src/agent-server/runs/run-claim.ts';
import { RunAttempt } from './run-attempt.ts';

export interface ExecuteRunOptions {
  run_id: string;
  /** Time limit in milliseconds, from the run's first start to its end. */
  timeout_ms: number;
  /** Stops the graph; its reason is a StopCause. */
  signal: AbortSignal;
}

/**
 * Executes a run from its last checkpoint to its outcome. Joins a run this process executes already: one that was begun
 * locally, or whose activity missed a heartbeat. Throws if another attempt may succeed.
 */
export async function executeRun(deps: AgentDeps, options: ExecuteRunOptions): Promise<AttemptEnd> {
  return (await joinOrClaim(deps, options, ['pending', 'running'])) ?? 'settled';
}

/** Like `executeRun`, but undefined if another process has started the run, or it is gone. */
export const executeWaiting = (
  deps: AgentDeps,
  options: ExecuteRunOptions,
): Promise<AttemptEnd | undefined> => joinOrClaim(deps, options, ['pending']);

async function joinOrClaim(
  deps: AgentDeps,
  options: ExecuteRunOptions,
  from: ('pending' | 'running')[],
): Promise<AttemptEnd | undefined> {
  const underWay = deps.running.join(options.run_id, options.signal);
  if (underWay) return underWay;
  const claim = await claimRun(deps.db, options.run_id, from);
  return claim && attempt(deps, claim, options);
}

const attempt = (deps: AgentDeps, claim: Claim, { signal, timeout_ms }: ExecuteRunOptions) =>
  deps.running.hold(claim.run_id, claim.epoch, (stop) =>
    underRunContext(claim.kwargs.config.configurable, () =>
      new RunAttempt(deps, claim, AbortSignal.any([stop, signal])).execute(timeout_ms),
    ),
  );
