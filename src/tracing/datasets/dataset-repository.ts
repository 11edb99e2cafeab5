import { type Database, inTransaction, type Queryable, sqlState } from '../../platform/db/database.ts';
import { givenColumns } from '../../platform/db/given-columns.ts';
import { Where } from '../../platform/db/where.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { DatasetExists, DatasetNotFound } from '../errors.ts';
import { exactJson } from '../json/storable-json.ts';
import { eraseExamplesOf } from './example-repository.ts';
import { type Dataset, type DatasetCreate, type DatasetQuery, DatasetUpdate } from './dataset.ts';

const SELECT = `select d.id, d.tenant_id, d.name, d.description, d.data_type, d.inputs_schema_definition,
    d.outputs_schema_definition, d.transformations, d.externally_managed, d.extra, d.extra -> 'metadata' as metadata,
    d.created_at, greatest(d.modified_at, d.version_at) as modified_at, e.example_count, s.session_count,
    s.last_session_start_time
  from tracing.dataset d
  left join lateral (select count(*) as example_count from tracing.example e
    where e.tenant_id = d.tenant_id and e.dataset_id = d.id and e.valid_to is null) e on true
  left join lateral (select count(*) as session_count, max(p.start_time) as last_session_start_time
    from tracing.project p where p.tenant_id = d.tenant_id and p.reference_dataset_id = d.id) s on true`;

const UNIQUE_VIOLATION = '23505';

/** Throws DatasetExists if the name or the id is taken. */
export async function insertDataset(
  db: Queryable,
  tenantId: string,
  dataset: DatasetCreate,
): Promise<Dataset> {
  const { id = uuid7(), metadata, extra = {}, ...rest } = dataset;
  const row = { ...rest, id, extra: metadata ? { ...extra, metadata } : extra };
  await named(dataset.name, () =>
    db.query(
      `insert into tracing.dataset (tenant_id, id, name, description, data_type, inputs_schema_definition,
         outputs_schema_definition, transformations, externally_managed, extra, created_at)
       select $1, n.id, n.name, n.description, coalesce(n.data_type, 'kv'), n.inputs_schema_definition,
         n.outputs_schema_definition, n.transformations, coalesce(n.externally_managed, false), n.extra,
         coalesce(n.created_at, clock_timestamp())
       from json_to_record($2) as n (id uuid, name text, description text, data_type text, inputs_schema_definition json,
         outputs_schema_definition json, transformations json, externally_managed boolean, extra jsonb,
         created_at timestamptz)`,
      [tenantId, exactJson(row)],
    ),
  );
  return (await findDataset(db, tenantId, id))!;
}

export async function findDataset(db: Queryable, tenantId: string, id: string): Promise<Dataset | undefined> {
  const { rows } = await db.query<Dataset>(`${SELECT} where d.tenant_id = $1 and d.id = $2`, [tenantId, id]);
  return rows[0];
}

export async function listDatasets(
  db: Queryable,
  tenantId: string,
  query: Omit<DatasetQuery, 'metadata'> & { metadata?: JsonObject | undefined },
  page: { limit: number; offset: number },
): Promise<Dataset[]> {
  const where = new Where()
    .andEquals('d.tenant_id', tenantId)
    .andAny('d.id', query.id)
    .andEquals('d.name', query.name)
    .andAny('d.data_type', query.data_type)
    .andContains(`(d.extra -> 'metadata')`, query.metadata);
  if (query.name_contains) where.and`strpos(lower(d.name), lower(${query.name_contains})) > 0`;
  const direction = query.sort_by_desc ? 'desc' : 'asc';
  const { rows } = await db.query<Dataset>(
    `${SELECT} ${where.text} order by ${query.sort_by} ${direction} nulls last, d.id ${direction}
     limit ${where.bind(page.limit)} offset ${where.bind(page.offset)}`,
    where.values,
  );
  return rows;
}

const UPDATED = Object.keys(DatasetUpdate.properties).filter(
  (name) => name !== 'metadata' && name !== 'extra',
);
const JSON_COLUMNS = new Set(['inputs_schema_definition', 'outputs_schema_definition', 'transformations']);

/** Updates the given fields. Throws DatasetExists if the name is taken. */
export async function updateDataset(
  db: Queryable,
  tenantId: string,
  id: string,
  { metadata, extra, ...update }: DatasetUpdate,
): Promise<Dataset | undefined> {
  const more = { ...extra, ...(metadata && { metadata }) };
  const values: unknown[] = [tenantId, id, exactJson(more)];
  const sets = givenColumns(update, UPDATED).map((name) => {
    const value = update[name as keyof typeof update];
    values.push(JSON_COLUMNS.has(name) && value !== null ? exactJson(value) : value);
    return `${name} = $${values.length}, `;
  });
  await named(update.name ?? '', () =>
    db.query(
      `update tracing.dataset set ${sets.join('')} extra = extra || $3::jsonb, modified_at = clock_timestamp()
       where tenant_id = $1 and id = $2`,
      values,
    ),
  );
  return findDataset(db, tenantId, id);
}

/** Deletes it with its examples and versions. Returns false if it does not exist. */
export async function deleteDataset(db: Database, tenantId: string, id: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Locks out concurrent changes to its examples.
    await tx.query('select 1 from tracing.dataset where tenant_id = $1 and id = $2 for update', [
      tenantId,
      id,
    ]);
    await eraseExamplesOf(tx, tenantId, id);
    const { rowCount } = await tx.query('delete from tracing.dataset where tenant_id = $1 and id = $2', [
      tenantId,
      id,
    ]);
    return rowCount !== 0;
  });
}

async function named<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) throw new DatasetExists(name);
    throw error;
  }
}

/** Throws DatasetNotFound. */
export async function existingDataset(db: Queryable, tenantId: string, id: string): Promise<Dataset> {
  const dataset = await findDataset(db, tenantId, id);
  if (!dataset) throw new DatasetNotFound(id);
  return dataset;
}
