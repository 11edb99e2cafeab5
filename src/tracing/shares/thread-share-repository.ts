import type { Queryable } from '../../platform/db/database.ts';

/** Key of a thread. */
export interface Thread {
  tenant_id: string;
  project_id: string;
  thread_id: string;
}

const OF = 'tenant_id = $1 and project_id = $2 and thread_id = $3';
const valuesOf = ({ tenant_id, project_id, thread_id }: Thread) => [tenant_id, project_id, thread_id];

/** The thread's token; undefined if not shared. */
export async function findThreadShare(db: Queryable, thread: Thread): Promise<string | undefined> {
  const { rows } = await db.query<{ token: string }>(
    `select token from tracing.thread_share where ${OF}`,
    valuesOf(thread),
  );
  return rows[0]?.token;
}

/** Keeps an existing token. Undefined if the thread has no traces. */
export async function insertThreadShare(
  db: Queryable,
  thread: Thread,
  token: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ token: string }>(
    `insert into tracing.thread_share as s (token, tenant_id, project_id, thread_id)
     select $4, $1, $2, $3
     where exists (select from tracing.run where ${OF})
     on conflict (tenant_id, project_id, thread_id) do update set thread_id = excluded.thread_id returning s.token`,
    [...valuesOf(thread), token],
  );
  return rows[0]?.token;
}

export async function deleteThreadShare(db: Queryable, thread: Thread): Promise<void> {
  await db.query(`delete from tracing.thread_share where ${OF}`, valuesOf(thread));
}
