import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { blankBodies } from '../bodies/blank-bodies.ts';
import { removeRuns } from '../runs/run-removal.ts';
import { allLocations, BODY_LOCATIONS, type BodyLocations } from '../runs/run-row.ts';

const RUNS_AT_ONCE = 200;

/** Input of workflows that remove a trace. */
export interface TraceToRemove {
  tenant_id: string;
  trace_id: string;
}

/**
 * Deletes a trace and its feedback, and overwrites its stored inputs and outputs. Resumable. Returns the number of
 * deleted runs.
 */
export async function removeTrace(db: Database, trace: TraceToRemove): Promise<number> {
  let removed = 0;
  for (;;) {
    const count = await inTransaction(db, (tx) => removeSomeRuns(tx, trace));
    if (count === 0) break;
    removed += count;
  }
  await db.query('delete from tracing.feedback where tenant_id = $1 and trace_id = $2', [
    trace.tenant_id,
    trace.trace_id,
  ]);
  return removed;
}

type Row = { id: string; start_time: string; project_id: string } & BodyLocations;

async function removeSomeRuns(tx: Queryable, { tenant_id, trace_id }: TraceToRemove): Promise<number> {
  const { rows } = await tx.query<Row>(
    `select r.id, r.start_time, r.project_id, ${BODY_LOCATIONS} from tracing.run r
     where r.tenant_id = $1 and r.trace_id = $2 order by r.id limit ${RUNS_AT_ONCE} for update`,
    [tenant_id, trace_id],
  );
  if (rows.length === 0) return 0;
  const locations = rows.flatMap(allLocations);
  await blankBodies(tx, tenant_id, locations);
  const ids = rows.map(({ id }) => id);
  await tx.query('delete from tracing.feedback where tenant_id = $1 and run_id = any($2)', [tenant_id, ids]);
  await tx.query('delete from tracing.feedback_token where tenant_id = $1 and run_id = any($2)', [
    tenant_id,
    ids,
  ]);
  await removeRuns(tx, tenant_id, rows);
  return rows.length;
}
