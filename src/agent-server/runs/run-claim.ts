import type { StoredCheckpoint } from '../../graph-protocol/checkpoint-record.ts';
import { assemble, type ItemRow, latestOfRun } from '../checkpoints/checkpoint-repository.ts';
import { type Database, inPipeline, isEncrypted, type Queryable } from '../../platform/db/database.ts';
import type { Fence } from '../events/event-repository.ts';
import type { RunKwargs } from '../records/run.ts';

/** Channel that announces new claims and stop requests to every worker process. */
export const RUN_CONTROL_CHANNEL = 'run-control';

export interface Claim extends Fence {
  thread_id: string;
  assistant_id: string;
  graph_id: string;
  kwargs: RunKwargs;
  metadata: Record<string, unknown>;
  attempt: number;
  /** The database's clock, and the time part of the thread's last event id; in ms. */
  now_ms: number;
  last_event_ms: number;
  /** Ms since the run first started. */
  elapsed_ms: number;
  /** Ms from when it was due to its first start. */
  waited_ms: number;
  /** The thread's latest checkpoint, null if it has none; undefined if it wasn't read. */
  checkpoint?: StoredCheckpoint | null;
}

/**
 * Claims the run for this process: from now on, writes of older attempts have no effect, and their processes are
 * notified. Undefined if the run's status is not in `from`, or the run is gone.
 */
export async function claimRun(
  db: Database,
  runId: string,
  from: ('pending' | 'running')[],
): Promise<Claim | undefined> {
  const claim = { ...CLAIM, values: [runId, from] };
  // A project that cannot decrypt its checkpoints fails its run, not the claim.
  if (isEncrypted(db)) return (await inPipeline<[Claim[]]>(db, [claim]))[0][0];
  // After the claim, so that it sees all that an older attempt wrote.
  const [claims, items] = await inPipeline<[Claim[], ItemRow[]]>(db, [claim, latestOfRun(runId)]);
  return claims[0] && { ...claims[0], checkpoint: assemble(items)[0] ?? null };
}

const CLAIM = {
  name: 'claim-run',
  text: `with claim as (
       update run set status = 'running', epoch = epoch + 1, attempt = attempt + 1,
         started_at = coalesce(started_at, clock_timestamp()), updated_at = clock_timestamp()
       where run_id = $1 and status = any($2)
       returning run_id, epoch, thread_id, assistant_id, graph_id, kwargs, metadata, attempt, started_at, due_at
     )
     select claim.*, thread.last_event_ms, extract(epoch from clock_timestamp())::float8 * 1000 as now_ms,
       extract(epoch from clock_timestamp() - started_at)::float8 * 1000 as elapsed_ms,
       extract(epoch from started_at - due_at)::float8 * 1000 as waited_ms,
       case when epoch > 1 then pg_notify('${RUN_CONTROL_CHANNEL}', 'taken ' || run_id || ' ' || epoch) end
     from claim join thread using (thread_id)`,
};

/** Returns a claimed run to the queue; the attempt does not count. */
export async function releaseRun(db: Queryable, { run_id, epoch }: Fence): Promise<void> {
  await db.query(
    `update run set status = 'pending', attempt = attempt - 1, updated_at = clock_timestamp()
     where run_id = $1 and epoch = $2 and status = 'running'`,
    [run_id, epoch],
  );
}

/** Asks the process that executes another run of the thread to stop its graph. */
export async function notifyDisplaced(db: Queryable, threadId: string, byRunId: string): Promise<void> {
  await db.query(
    `select pg_notify('${RUN_CONTROL_CHANNEL}', 'stop ' || run_id) from run
     where thread_id = $1 and run_id <> $2 and status = 'running'`,
    [threadId, byRunId],
  );
}

/** Asks the process that executes the run to stop its graph. */
export async function notifyStop(db: Queryable, runId: string): Promise<void> {
  await db.query(`select pg_notify('${RUN_CONTROL_CHANNEL}', 'stop ' || $1)`, [runId]);
}
