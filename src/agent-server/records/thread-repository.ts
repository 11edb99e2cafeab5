import { sealedJson } from '../../platform/db/sealing.ts';
import type { Queryable, Statement } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { gonePayload, threadChannel } from '../events/event-frame.ts';
import type { ExtractPath } from './extract-path.ts';
import type { Thread, ThreadCount, ThreadSearch, TtlStrategy } from './thread.ts';
import { THREAD_FIELDS } from './thread.ts';

const column = (field: string): string => (field === 'context' ? CONTEXT : `"${field}"`);
const CONTEXT = `coalesce(config -> 'configurable', '{}') as context`;
const COLUMNS = THREAD_FIELDS.map(column).join(', ');
const TTL = `case when ttl_strategy is not null then json_build_object(
  'strategy', ttl_strategy, 'ttl_minutes', ttl_minutes,
  'expires_at', to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')) end as ttl`;

export interface Ttl {
  strategy: TtlStrategy;
  minutes: number;
}

export interface NewThread {
  thread_id: string;
  metadata: JsonObject;
  /** For a threadless run: never listed. Has no ttl, because a thread with an expiry already counts as gone. */
  hidden?: boolean;
  ttl?: Ttl | undefined;
  /** The run it is made for, in the same transaction. */
  run?: { graph_id: string; assistant_id: string };
}

export const INSERT_THREAD = 'insert-thread';

/** Creates the thread and returns it; returns no row if the id is taken, so concurrent callers can all send it. */
export const threadInsert = ({ thread_id, metadata, hidden = false, ttl, run }: NewThread): Statement => ({
  name: INSERT_THREAD,
  text: `insert into thread (thread_id, metadata, hidden, ttl_strategy, ttl_minutes, expires_at,
      created_at, updated_at, state_updated_at, status)
    select $1, $2::jsonb || coalesce($6::jsonb, '{}'), $3, $4, $5, t + $5::float8 * interval '1 minute', t, t, t,
      case when $6::jsonb is null then 'idle' else 'busy' end
    from clock_timestamp() t
    on conflict (thread_id) do nothing returning ${COLUMNS}`,
  values: [
    thread_id,
    sealedJson('thread', 'metadata', metadata),
    hidden,
    ttl?.strategy ?? null,
    ttl?.minutes ?? null,
    run ? JSON.stringify(run) : null,
  ],
});

/** Returns undefined if the id is taken. */
export async function insertThread(db: Queryable, thread: NewThread): Promise<Thread | undefined> {
  const { text, values } = threadInsert(thread);
  const { rows } = await db.query<Thread>(text, values);
  return rows[0];
}

interface ThreadFilter extends ThreadCount {
  ids?: string[];
}

/** The listed threads that the caller may see; every search and count uses this. */
const listed = (
  { ids, metadata, values, status, state_updated_at: at = {} }: ThreadFilter,
  reach: RowFilter | undefined,
): Where =>
  new Where().and`not hidden`
    .andPasses('metadata', reach)
    .andAny('thread_id', ids)
    .andEquals('status', status)
    .andContains('metadata', metadata)
    .andContains('"values"', values)
    .andCompares('state_updated_at', { '>': at.$gt, '>=': at.$gte, '<': at.$lt, '<=': at.$lte });

/**
 * Selects one thread by id, hidden or not, unless it is about to be removed; every read and write of a single thread
 * uses this.
 */
const named = (id: string, reach?: RowFilter): Where =>
  new Where().and`thread_id = ${id}`.and`not (hidden and expires_at is not null)`.andPasses(
    'metadata',
    reach,
  );

export async function findThread(
  db: Queryable,
  id: string,
  { ttl = false, reach }: { ttl?: boolean; reach?: RowFilter | undefined } = {},
): Promise<Thread | undefined> {
  const where = named(id, reach);
  const columns = ttl ? `${COLUMNS}, ${TTL}` : COLUMNS;
  const { rows } = await db.query<Thread>(`select ${columns} from thread ${where.text}`, where.values);
  return rows[0];
}

export async function threadExists(db: Queryable, id: string, reach?: RowFilter): Promise<boolean> {
  const where = named(id, reach);
  const { rows } = await db.query(`select from thread ${where.text}`, where.values);
  return rows.length > 0;
}

/** Returns up to one thread more than `limit`; the extra one means there is another page. */
export async function searchThreads(
  db: Queryable,
  search: ThreadSearch,
  extract: Map<string, ExtractPath>,
  reach?: RowFilter,
): Promise<Partial<Thread>[]> {
  const where = listed(search, reach);
  const columns = (search.select?.length ? [...new Set(search.select)] : THREAD_FIELDS).map(column);
  if (extract.size > 0) columns.push(extracted(extract, where));
  const order = search.sort_by === 'thread_id' ? '' : `"${search.sort_by}" ${search.sort_order}, `;
  const { rows } = await db.query<Partial<Thread>>(
    `select ${columns.join(', ')} from thread ${where.text} order by ${order}thread_id ${search.sort_order}
     limit ${where.bind(search.limit + 1)} offset ${where.bind(search.offset)}`,
    where.values,
  );
  return rows;
}

/** Extracts in the database, to avoid transferring a thread's full values for a part of them. */
function extracted(extract: Map<string, ExtractPath>, where: Where): string {
  const pairs = [...extract].map(
    ([alias, { root, steps }]) => `${where.bind(alias)}::text, "${root}" #> ${where.bind(steps)}::text[]`,
  );
  return `json_build_object(${pairs.join(', ')}) as extracted`;
}

export async function countThreads(db: Queryable, filter: ThreadCount, reach?: RowFilter): Promise<number> {
  const where = listed(filter, reach);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) from thread ${where.text}`,
    where.values,
  );
  return rows[0]!.count;
}

/** Merges metadata key by key; a new ttl counts from now. Undefined if the thread doesn't exist. */
export async function updateThread(
  db: Queryable,
  id: string,
  { metadata, ttl }: { metadata?: JsonObject | undefined; ttl?: Ttl | undefined },
  reach?: RowFilter,
): Promise<Thread | undefined> {
  const where = named(id, reach);
  const sets = ['updated_at = clock_timestamp()'];
  if (metadata)
    sets.push(`metadata = metadata || ${where.bind(sealedJson('thread', 'metadata', metadata))}::jsonb`);
  if (ttl) {
    const minutes = `${where.bind(ttl.minutes)}::float8`;
    sets.push(`ttl_strategy = ${where.bind(ttl.strategy)}, ttl_minutes = ${minutes}`);
    sets.push(`expires_at = clock_timestamp() + ${minutes} * interval '1 minute'`);
  }
  const { rows } = await db.query<Thread>(
    `update thread set ${sets.join(', ')} ${where.text} returning ${COLUMNS}`,
    where.values,
  );
  return rows[0];
}

/** Ids of the threads, including hidden ones, whose latest run used an assistant. */
export async function listThreadsOfAssistant(
  db: Queryable,
  assistantId: string,
  reach?: RowFilter,
): Promise<string[]> {
  const where = new Where()
    .andContains('metadata', { assistant_id: assistantId })
    .andPasses('metadata', reach);
  const { rows } = await db.query<{ thread_id: string }>(
    `select thread_id from thread ${where.text}`,
    where.values,
  );
  return rows.map(({ thread_id }) => thread_id);
}

/** The given threads that the caller can access. */
export async function listReachable(db: Queryable, ids: string[], reach: RowFilter): Promise<string[]> {
  const where = new Where().andAny('thread_id', ids).andPasses('metadata', reach);
  const { rows } = await db.query<{ thread_id: string }>(
    `select thread_id from thread ${where.text}`,
    where.values,
  );
  return rows.map(({ thread_id }) => thread_id);
}

/**
 * Removes threads with their runs and stored events, and notifies the readers of each run and thread. Returns the ids
 * of the threads that existed.
 */
export async function deleteThreads(tx: Queryable, ids: string[]): Promise<string[]> {
  // Lock in the same order everywhere, so that concurrent callers wait instead of deadlocking.
  await tx.query('select from thread where thread_id = any($1::uuid[]) order by thread_id for update', [ids]);
  await tx.query(
    `select pg_notify($2 || thread_id, $3 || id) from (
       select thread_id, thread_id as id from thread where thread_id = any($1::uuid[]) union all
       select thread_id, run_id from run where thread_id = any($1::uuid[]) and status in ('pending', 'running')) reader`,
    [ids, threadChannel(''), gonePayload('')],
  );
  await tx.query('delete from run_event where thread_id = any($1::uuid[])', [ids]);
  const { rows } = await tx.query<{ thread_id: string }>(
    'delete from thread where thread_id = any($1::uuid[]) returning thread_id',
    [ids],
  );
  return rows.map(({ thread_id }) => thread_id);
}

/** Locks the given threads without a run in flight, until the transaction ends. */
export async function lockResting(tx: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ thread_id: string }>(
    `select thread_id from thread where thread_id = any($1) and status <> 'busy' order by thread_id for update`,
    [ids],
  );
  return rows.map(({ thread_id }) => thread_id);
}

/**
 * Copies metadata, values and open interrupts of a thread to a new idle one, and merges in the given metadata; false
 * if the original is missing.
 */
export async function copyThreadRow(
  tx: Queryable,
  sourceId: string,
  { thread_id, metadata }: { thread_id: string; metadata: JsonObject },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into thread (thread_id, metadata, "values", interrupts)
     select $2, metadata || $3::jsonb, "values", interrupts from thread where thread_id = $1 for share`,
    [sourceId, thread_id, JSON.stringify(metadata)],
  );
  return rowCount === 1;
}
