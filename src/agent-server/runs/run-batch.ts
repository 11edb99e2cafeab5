import type { AgentDeps } from '../agent-deps.ts';
import { ThreadNotFound } from '../errors.ts';
import { newRunRequest, planRun, type RequestOrigin } from './run-plan.ts';
import { deleteUnqueuedRun, insertRuns } from '../records/run-repository.ts';
import type { Run, RunCreate } from '../records/run.ts';
import { queuedRun } from './run-service.ts';

/**
 * Accepts several threadless runs, all or none: records them in one transaction, then queues them. Once one is queued,
 * all are accepted, and the sweep queues those that Temporal did not take. Throws what `planRun` throws, and
 * Unavailable if none can be queued; then nothing remains.
 */
export async function acceptRuns(deps: AgentDeps, creates: RunCreate[], from: RequestOrigin): Promise<Run[]> {
  const plans = await Promise.all(
    creates.map((create) => planRun(deps, create, newRunRequest(undefined, from))),
  );
  const inserted = await insertRuns(deps.db, plans);
  const runs = inserted.map((run, i) => {
    if (!run) throw new ThreadNotFound(plans[i]!.run.thread_id);
    return run;
  });
  const queued = await Promise.allSettled(
    plans.map(({ run: { graph_id, after_seconds } }, i) => {
      const due = after_seconds ? { due_ms: Date.now() + after_seconds * 1000 } : {};
      const run = queuedRun(deps, { ...runs[i]!, graph_id, ...due });
      return deps.threads.enqueue(runs[i]!.thread_id, run, { brief: true });
    }),
  );
  const failures = queued.filter((outcome) => outcome.status === 'rejected');
  if (failures.length < runs.length) {
    if (failures.length > 0)
      deps.log.warn(
        { err: failures[0]!.reason, runs: failures.length },
        'some runs of a batch were left to the sweep',
      );
    return runs;
  }
  for (const { thread_id, run_id } of runs) await deleteUnqueuedRun(deps.db, thread_id, run_id, true);
  throw failures[0]!.reason;
}
