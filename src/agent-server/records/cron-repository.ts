import { sealedJson } from '../../platform/db/sealing.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import { isUuid, systemAssistantId } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { Caller } from '../caller.ts';
import { type Cron, CRON_FIELDS, type CronCount, type CronSearch } from './cron.ts';

const COMPUTED: Record<string, string> = {
  is_enabled: 'enabled as is_enabled',
  now: 'clock_timestamp() as now',
  webhook: `payload->'webhook' as webhook`,
};
const column = (field: string) => COMPUTED[field] ?? field;
const COLUMNS = CRON_FIELDS.map(column).join(', ');

/** A cron with its server-only fields. */
export interface CronRow extends Cron {
  caller: Caller;
  revision: number;
  /** The database's clock. */
  now: string;
}
const ROW = `${COLUMNS}, caller, revision, clock_timestamp() as now`;

export type CronContent = Pick<
  Cron,
  | 'schedule'
  | 'timezone'
  | 'end_time'
  | 'payload'
  | 'metadata'
  | 'on_run_completed'
  | 'enabled'
  | 'next_run_date'
>;
export type NewCron = CronContent &
  Pick<Cron, 'cron_id' | 'assistant_id' | 'thread_id' | 'user_id'> & { caller: Caller };

const contentOf = (cron: CronContent): unknown[] => [
  cron.schedule,
  cron.timezone,
  cron.end_time,
  sealedJson('cron', 'payload', cron.payload),
  sealedJson('cron', 'metadata', cron.metadata),
  cron.on_run_completed,
  cron.enabled,
  cron.next_run_date,
];

export async function insertCron(db: Queryable, cron: NewCron): Promise<Cron> {
  const { rows } = await db.query<Cron>(
    `insert into cron (schedule, timezone, end_time, payload, metadata, on_run_completed, enabled, next_run_date,
       cron_id, assistant_id, thread_id, user_id, caller, created_at, updated_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, t, t from clock_timestamp() t
     returning ${COLUMNS}`,
    [
      ...contentOf(cron),
      cron.cron_id,
      cron.assistant_id,
      cron.thread_id,
      cron.user_id,
      JSON.stringify(cron.caller),
    ],
  );
  return rows[0]!;
}

/** Limits callers to their own crons and to threads they may read. */
export interface CronAccess {
  crons?: RowFilter | undefined;
  /** Metadata the crons must contain. */
  metadata?: JsonObject | undefined;
  threads?: RowFilter | undefined;
}

/** Selects one cron by id; every read and write of a single cron uses this. */
const named = (id: string, filter?: RowFilter): Where =>
  new Where().and`cron_id = ${id}`.andPasses('metadata', filter);

/** Selects the requested crons that the caller may see; every search and count uses this. */
function listed(filter: CronCount, { crons, metadata = filter.metadata, threads }: CronAccess): Where {
  const { assistant_id: ref, thread_id, enabled = filter.is_enabled } = filter;
  return new Where()
    .andEquals('assistant_id', ref === undefined || isUuid(ref) ? ref : systemAssistantId(ref))
    .andEquals('thread_id', thread_id)
    .andEquals('enabled', enabled)
    .andContains('metadata', metadata)
    .andPasses('metadata', crons)
    .andPasses(
      '(select metadata from thread where thread.thread_id = cron.thread_id)',
      threads,
      'thread_id is null',
    );
}

export async function findCron(db: Queryable, id: string, filter?: RowFilter): Promise<CronRow | undefined> {
  const where = named(id, filter);
  const { rows } = await db.query<CronRow>(`select ${ROW} from cron ${where.text}`, where.values);
  return rows[0];
}

/** Like `findCron`, but locks the row until the transaction ends. */
export async function lockCron(tx: Queryable, id: string, filter?: RowFilter): Promise<CronRow | undefined> {
  const where = named(id, filter);
  const { rows } = await tx.query<CronRow>(`select ${ROW} from cron ${where.text} for update`, where.values);
  return rows[0];
}

/** Returns up to one cron more than `limit`; the extra one means there is another page. */
export async function searchCrons(
  db: Queryable,
  search: CronSearch,
  access: CronAccess,
): Promise<Partial<Cron>[]> {
  const where = listed(search, access);
  const columns = search.select?.length ? [...new Set(search.select)].map(column).join(', ') : COLUMNS;
  const order = search.sort_by === 'cron_id' ? '' : `${search.sort_by} ${search.sort_order}, `;
  const { rows } = await db.query<Partial<Cron>>(
    `select ${columns} from cron ${where.text} order by ${order}cron_id ${search.sort_order}
     limit ${where.bind(search.limit + 1)} offset ${where.bind(search.offset)}`,
    where.values,
  );
  return rows;
}

export async function countCrons(db: Queryable, filter: CronCount, access: CronAccess): Promise<number> {
  const where = listed(filter, access);
  const { rows } = await db.query<{ count: number }>(`select count(*) from cron ${where.text}`, where.values);
  return rows[0]!.count;
}

/** Updates a locked cron; its schedule must be updated afterwards. */
export async function updateCron(tx: Queryable, id: string, cron: CronContent): Promise<Cron> {
  const { rows } = await tx.query<Cron>(
    `update cron set schedule = $1, timezone = $2, end_time = $3, payload = $4, metadata = $5,
       on_run_completed = $6, enabled = $7, next_run_date = $8, revision = revision + 1, updated_at = clock_timestamp()
     where cron_id = $9 returning ${COLUMNS}`,
    [...contentOf(cron), id],
  );
  return rows[0]!;
}

export async function deleteCron(db: Queryable, id: string, filter?: RowFilter): Promise<boolean> {
  const where = named(id, filter);
  const { rowCount } = await db.query(`delete from cron ${where.text}`, where.values);
  return rowCount !== 0;
}

/** Ids of the crons that are deleted along with an assistant or threads. */
export async function listCronIds(
  db: Queryable,
  owner: { assistant_id: string } | { thread_ids: string[] },
): Promise<string[]> {
  const where =
    'assistant_id' in owner
      ? new Where().andEquals('assistant_id', owner.assistant_id)
      : new Where().andAny('thread_id', owner.thread_ids);
  const { rows } = await db.query<{ cron_id: string }>(
    `select cron_id from cron ${where.text}`,
    where.values,
  );
  return rows.map(({ cron_id }) => cron_id);
}
