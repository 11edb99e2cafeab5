import type { Queryable } from '../../platform/db/database.ts';
import { ShareNotFound } from '../errors.ts';

/** Grants read access to a trace by token (contract §1.13, Sharing). */
export interface Share {
  share_token: string;
  run_id: string;
  shared_trace_id: string;
}

const COLUMNS = 'token as share_token, run_id, trace_id as shared_trace_id';

export async function findShareOfRun(
  db: Queryable,
  tenantId: string,
  runId: string,
): Promise<Share | undefined> {
  const { rows } = await db.query<Share>(
    `select ${COLUMNS} from tracing.share where tenant_id = $1 and run_id = $2`,
    [tenantId, runId],
  );
  return rows[0];
}

/** What a token opens: one trace, or all traces of a thread. */
export interface Opened {
  tenant_id: string;
  /** The shared run; for threads, the newest root. */
  run_id: string;
  traces: string[];
}

// Limit on a thread's newest traces.
const MAX_TRACES = 1_000;

/** Not limited to a tenant. Throws ShareNotFound. */
export async function existingShare(db: Queryable, token: string): Promise<Opened> {
  const { rows } = await db.query<Opened>(
    `select tenant_id, run_id, array[trace_id] as traces from tracing.share where token = $1
     union all
     select s.tenant_id, (array_agg(r.id order by r.start_time desc))[1], array_agg(r.trace_id)
     from tracing.thread_share s cross join lateral (
       select id, trace_id, start_time from tracing.run r
       where r.tenant_id = s.tenant_id and r.project_id = s.project_id and r.thread_id = s.thread_id
         and r.parent_run_id is null order by start_time desc limit ${MAX_TRACES}) r
     where s.token = $1 group by s.token`,
    [token],
  );
  if (!rows[0]) throw new ShareNotFound();
  return rows[0];
}

/** Keeps the token of a run that is already shared. Fails with 23505 if another run has the token. */
export async function insertShare(
  db: Queryable,
  tenantId: string,
  { share_token, run_id, shared_trace_id }: Share,
): Promise<Share> {
  const { rows } = await db.query<Share>(
    `insert into tracing.share (token, tenant_id, run_id, trace_id) values ($1, $2, $3, $4)
     on conflict (tenant_id, run_id) do update set trace_id = excluded.trace_id returning ${COLUMNS}`,
    [share_token, tenantId, run_id, shared_trace_id],
  );
  return rows[0]!;
}

/** Deletes the shares of a run or of all runs of a trace. */
export async function deleteShares(db: Queryable, tenantId: string, id: string): Promise<void> {
  await db.query('delete from tracing.share where tenant_id = $1 and (run_id = $2 or trace_id = $2)', [
    tenantId,
    id,
  ]);
}

/** Share tokens by run id. */
export async function shareTokensOf(
  db: Queryable,
  tenantId: string,
  runIds: string[],
): Promise<Map<string, string>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await db.query<{ run_id: string; token: string }>(
    {
      name: 'tracing-share-tokens',
      text: 'select run_id, token from tracing.share where tenant_id = $1 and run_id = any($2)',
    },
    [tenantId, runIds],
  );
  return new Map(rows.map(({ run_id, token }) => [run_id, token]));
}
