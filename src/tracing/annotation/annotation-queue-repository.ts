import type { Queryable } from '../../platform/db/database.ts';
import { givenColumns } from '../../platform/db/given-columns.ts';
import { Where } from '../../platform/db/where.ts';
import { uuid7 } from '../../platform/ids.ts';
import { QueueExists, QueueNotFound } from '../errors.ts';
import { storableJson } from '../json/storable-json.ts';
import type { AnnotationQueue, QueueCreate, QueueUpdate } from './annotation-queue.ts';

const COLUMNS = {
  name: 'text',
  description: 'text',
  default_dataset: 'uuid',
  rubric_instructions: 'text',
  rubric_items: 'json',
  num_reviewers_per_item: 'integer',
  enable_reservations: 'boolean',
  reservation_minutes: 'integer',
  reviewer_access_mode: 'text',
  metadata: 'jsonb',
};
const RECORD = Object.entries({ id: 'uuid', ...COLUMNS })
  .map((column) => column.join(' '))
  .join(', ');

const SELECT = `select q.id, q.tenant_id, ${Object.keys(COLUMNS)
  .map((name) => `q.${name}`)
  .join(', ')}, q.queue_type, q.created_at, q.updated_at, null as source_rule_id, null as run_rule_id,
    (select count(*) from tracing.annotation_queue_run r
     where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.completed_at is null) as total_runs
  from tracing.annotation_queue q`;

/** Throws QueueExists. */
export async function insertQueue(
  db: Queryable,
  tenantId: string,
  { session_ids = [], ...queue }: QueueCreate,
): Promise<AnnotationQueue> {
  const row = { enable_reservations: true, reviewer_access_mode: 'any', metadata: {}, ...queue };
  const id = queue.id ?? uuid7();
  const names = ['id', ...givenColumns(row, Object.keys(COLUMNS))];
  const { rowCount } = await db.query(
    `insert into tracing.annotation_queue (tenant_id, session_ids, ${names.join(', ')})
     select $1, $3, ${names.map((name) => `n.${name}`).join(', ')} from json_to_record($2) as n (${RECORD})
     on conflict (tenant_id, id) do nothing`,
    [tenantId, storableJson({ ...row, id }), session_ids],
  );
  if (rowCount === 0) throw new QueueExists(id);
  return existingQueue(db, tenantId, id);
}

/** Throws QueueNotFound. */
export async function existingQueue(db: Queryable, tenantId: string, id: string): Promise<AnnotationQueue> {
  const { rows } = await db.query<AnnotationQueue>(`${SELECT} where q.tenant_id = $1 and q.id = $2`, [
    tenantId,
    id,
  ]);
  if (!rows[0]) throw new QueueNotFound(id);
  return rows[0];
}

export interface QueueSearch {
  ids?: string[] | undefined;
  name?: string | undefined;
  name_contains?: string | undefined;
  dataset_id?: string | undefined;
  /** Only queues that contain this run. */
  run_id?: string | undefined;
  limit: number;
  offset: number;
}

/** Newest first. */
export async function listQueues(
  db: Queryable,
  tenantId: string,
  search: QueueSearch,
): Promise<AnnotationQueue[]> {
  const where = new Where()
    .andEquals('q.tenant_id', tenantId)
    .andAny('q.id', search.ids)
    .andEquals('q.name', search.name)
    .andEquals('q.default_dataset', search.dataset_id);
  if (search.name_contains) where.and`strpos(lower(q.name), lower(${search.name_contains})) > 0`;
  if (search.run_id)
    where.and`exists (select 1 from tracing.annotation_queue_run r
      where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.run_id = ${search.run_id})`;
  const { rows } = await db.query<AnnotationQueue>(
    `${SELECT} ${where.text} order by q.created_at desc, q.id
     limit ${where.bind(search.limit)} offset ${where.bind(search.offset)}`,
    where.values,
  );
  return rows;
}

/** Updates the given fields. Throws QueueNotFound. */
export async function updateQueue(
  db: Queryable,
  tenantId: string,
  id: string,
  update: QueueUpdate,
): Promise<AnnotationQueue> {
  await db.query(
    `update tracing.annotation_queue q set ${givenColumns(update, Object.keys(COLUMNS))
      .map((name) => `${name} = n.${name}, `)
      .join('')} updated_at = clock_timestamp()
     from json_to_record($3) as n (${RECORD}) where q.tenant_id = $1 and q.id = $2`,
    [tenantId, id, storableJson(update)],
  );
  return existingQueue(db, tenantId, id);
}

/** Throws QueueNotFound. */
export async function deleteQueue(db: Queryable, tenantId: string, id: string): Promise<void> {
  const { rowCount } = await db.query(
    'delete from tracing.annotation_queue where tenant_id = $1 and id = $2',
    [tenantId, id],
  );
  if (rowCount === 0) throw new QueueNotFound(id);
}
