import type { Queryable } from '../../platform/db/database.ts';
import { ComparisonNotFound } from '../errors.ts';
import { storableJson } from '../json/storable-json.ts';

/** Pairwise comparison of experiments on one dataset, as clients read it (contract §1.13). */
export interface Comparison {
  id: string;
  tenant_id: string;
  name: string | null;
  description: string | null;
  reference_dataset_id: string;
  extra: Record<string, unknown>;
  experiments_info: { id: string; name: string }[];
  feedback_stats: Record<string, { n: number; avg: number | null }>;
  created_at: string;
  modified_at: string;
}

const SELECT = `select c.id, c.tenant_id, c.name, c.description, c.reference_dataset_id, c.extra, c.created_at, c.modified_at,
    (select coalesce(json_agg(json_build_object('id', e.id, 'name', p.name) order by e.place), '[]')
     from unnest(c.experiment_ids) with ordinality as e (id, place)
     left join tracing.project p on p.tenant_id = c.tenant_id and p.id = e.id) as experiments_info,
    (select coalesce(json_object_agg(f.key, json_build_object('n', f.n, 'avg', f.avg)), '{}')
     from (select key, count(*) as n, avg(score) as avg from tracing.feedback f
       where f.tenant_id = c.tenant_id and f.comparative_experiment_id = c.id group by key) f) as feedback_stats
  from tracing.comparative_experiment c`;

export interface NewComparison {
  id: string;
  name?: string | undefined;
  description?: string | undefined;
  reference_dataset_id: string;
  experiment_ids: string[];
  extra?: Record<string, unknown> | undefined;
  created_at?: string | undefined;
}

/** Idempotent by id. */
export async function insertComparison(
  db: Queryable,
  tenantId: string,
  comparison: NewComparison,
): Promise<Comparison> {
  await db.query(
    `insert into tracing.comparative_experiment
       (tenant_id, id, name, description, reference_dataset_id, experiment_ids, extra, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, clock_timestamp()))
     on conflict (tenant_id, id) do nothing`,
    [
      tenantId,
      comparison.id,
      comparison.name,
      comparison.description,
      comparison.reference_dataset_id,
      comparison.experiment_ids,
      storableJson(comparison.extra ?? {}),
      comparison.created_at,
    ],
  );
  const { rows } = await db.query<Comparison>(`${SELECT} where c.tenant_id = $1 and c.id = $2`, [
    tenantId,
    comparison.id,
  ]);
  return rows[0]!;
}

/** Newest first. */
export async function listComparisons(
  db: Queryable,
  tenantId: string,
  datasetId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<Comparison[]> {
  const { rows } = await db.query<Comparison>(
    `${SELECT} where c.tenant_id = $1 and c.reference_dataset_id = $2 order by c.created_at desc, c.id limit $3 offset $4`,
    [tenantId, datasetId, limit, offset],
  );
  return rows;
}

/** Throws ComparisonNotFound. */
export async function experimentsCompared(db: Queryable, tenantId: string, id: string): Promise<string[]> {
  const { rows } = await db.query<{ experiment_ids: string[] }>(
    'select experiment_ids from tracing.comparative_experiment where tenant_id = $1 and id = $2',
    [tenantId, id],
  );
  if (!rows[0]) throw new ComparisonNotFound(id);
  return rows[0].experiment_ids;
}

/** Throws ComparisonNotFound. */
export async function deleteComparison(db: Queryable, tenantId: string, id: string): Promise<void> {
  const { rowCount } = await db.query(
    'delete from tracing.comparative_experiment where tenant_id = $1 and id = $2',
    [tenantId, id],
  );
  if (rowCount === 0) throw new ComparisonNotFound(id);
}
