import type { Queryable } from '../../platform/db/database.ts';
import { givenColumns } from '../../platform/db/given-columns.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { fieldFilterSql } from '../query/filter/field-filter.ts';
import { PROJECT_FILTER } from './project-filter.ts';
import type { NewProject, Project, ProjectQuery } from './project.ts';
import { STAT_COLUMNS, statSql } from './project-stats.ts';

const COLUMNS = `p.id, p.tenant_id, p.name, p.description, p.extra, p.reference_dataset_id, p.default_dataset_id,
  p.trace_tier, p.retention_days, p.longlived_ttl_days, p.start_time, p.end_time`;

/** Merges `extra` and its `metadata` key by key; new values win. */
const merged = (
  value: string,
): string => `p.extra || ${value} || case when p.extra ? 'metadata' and ${value} ? 'metadata'
  then jsonb_build_object('metadata', (p.extra -> 'metadata') || (${value} -> 'metadata')) else '{}' end`;

/** Undefined if the name is taken, unless the existing project is to be updated. */
export async function insertProject(
  db: Queryable,
  tenantId: string,
  project: NewProject,
  { upsert }: { upsert: boolean },
): Promise<Project | undefined> {
  const onConflict = upsert
    ? `update set extra = ${merged('excluded.extra')},
        description = coalesce(excluded.description, p.description),
        reference_dataset_id = coalesce(excluded.reference_dataset_id, p.reference_dataset_id),
        default_dataset_id = coalesce(excluded.default_dataset_id, p.default_dataset_id),
        trace_tier = coalesce(excluded.trace_tier, p.trace_tier),
        retention_days = coalesce(excluded.retention_days, p.retention_days),
        longlived_ttl_days = coalesce(excluded.longlived_ttl_days, p.longlived_ttl_days),
        end_time = coalesce(excluded.end_time, p.end_time), updated_at = clock_timestamp()`
    : 'nothing';
  const { rows } = await db.query<Project>(
    `insert into tracing.project as p (id, tenant_id, name, description, extra, reference_dataset_id, default_dataset_id,
       trace_tier, start_time, end_time, retention_days, longlived_ttl_days)
     values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, clock_timestamp()), $10, $11, $12)
     on conflict (tenant_id, name_hash) do ${onConflict} returning ${COLUMNS}`,
    [
      project.id,
      tenantId,
      project.name,
      project.description,
      JSON.stringify(project.extra),
      project.reference_dataset_id,
      project.default_dataset_id,
      project.trace_tier,
      project.start_time,
      project.end_time,
      project.retention_days,
      project.longlived_ttl_days,
    ],
  );
  return rows[0];
}

export async function findProject(db: Queryable, tenantId: string, id: string): Promise<Project | undefined> {
  const { rows } = await db.query<Project>(
    `select ${COLUMNS} from tracing.project p where p.tenant_id = $1 and p.id = $2`,
    [tenantId, id],
  );
  return rows[0];
}

const CHANGED = [
  'name',
  'description',
  'default_dataset_id',
  'trace_tier',
  'retention_days',
  'longlived_ttl_days',
  'end_time',
] as const;
type Changes = { [Column in (typeof CHANGED)[number]]?: Project[Column] | undefined };

/** Changes to `extra`: merges metadata too, or sets single keys, with null removing a key. */
type ExtraChange = { by: 'metadata'; extra: JsonObject } | { by: 'key'; extra: JsonObject | null };

/** Updates the given fields; null clears a field. */
export async function updateProject(
  db: Queryable,
  tenantId: string,
  id: string,
  patch: Changes,
  change: ExtraChange = { by: 'metadata', extra: {} },
): Promise<Project | undefined> {
  const values: unknown[] = [tenantId, id, JSON.stringify(change.extra ?? {}), keysTaken(change)];
  const sets = givenColumns(patch, CHANGED).map(
    (name) => `${name} = $${values.push(patch[name as keyof Changes])}, `,
  );
  const extra = change.by === 'metadata' ? merged('$3::jsonb') : 'p.extra || $3::jsonb';
  const { rows } = await db.query<Project>(
    `update tracing.project p set ${sets.join('')}
       extra = case when $4::text[] is null then '{}' else (${extra}) - $4::text[] end, updated_at = clock_timestamp()
     where p.tenant_id = $1 and p.id = $2 returning ${COLUMNS}`,
    values,
  );
  return rows[0];
}

/** Keys to remove; null means all. */
function keysTaken({ by, extra }: ExtraChange): string[] | null {
  if (extra === null) return null;
  return by === 'key' ? Object.keys(extra).filter((key) => extra[key] === null) : [];
}

/** The project's id; undefined if it does not exist. */
export async function findProjectNamed(
  db: Queryable,
  tenantId: string,
  name: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'select id from tracing.project where tenant_id = $1 and name_hash = md5($2)::uuid',
    [tenantId, name],
  );
  return rows[0]?.id;
}

/** The project's id; undefined if it is not an experiment. */
export async function findExperiment(
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from tracing.project where tenant_id = $1 and id::text = lower($2) and reference_dataset_id is not null`,
    [tenantId, id],
  );
  return rows[0]?.id;
}

const SORT_COLUMNS: Record<string, string> = {
  start_time: 'p.start_time',
  end_time: 'p.end_time',
  name: 'p.name',
  created_at: 'p.created_at',
  modified_at: 'p.updated_at',
};

/** A page of the tenant's projects. Joins runs and feedback only if the order depends on them. */
export async function listProjects(
  db: Queryable,
  tenantId: string,
  query: Omit<ProjectQuery, 'metadata' | 'include_stats' | 'facets'> & {
    metadata: JsonObject | undefined;
    /** Source of the feedback to sort by. */
    feedback_of?: 'run' | 'session';
  },
): Promise<Project[]> {
  const where = new Where()
    .andEquals('p.tenant_id', tenantId)
    .andAny('p.id', query.id)
    .andAny('p.reference_dataset_id', query.reference_dataset)
    .andEquals('(p.reference_dataset_id is null)', query.reference_free)
    .andEquals(`p.extra -> 'metadata' ->> 'dataset_version'`, query.dataset_version)
    .andContains(`(p.extra -> 'metadata')`, query.metadata);
  if (query.name !== undefined) where.and`p.name_hash = md5(${query.name})::uuid`;
  if (query.name_contains) where.and`position(lower(${query.name_contains}) in lower(p.name)) > 0`;
  if (query.tag_value_id)
    where.and`p.extra -> 'tag_value_ids' @> ${JSON.stringify(query.tag_value_id)}::jsonb`;
  const filter = query.filter ? ` and ${fieldFilterSql(query.filter, PROJECT_FILTER, where)}` : '';
  const stat = sortSql(query, where);
  const { rows } = await db.query<Project>(
    `select ${COLUMNS} from tracing.project p ${stat ? `left join lateral (${stat}) s on true` : ''}
     ${where.text}${filter}
     order by ${stat ? 's.value' : SORT_COLUMNS[query.sort_by]} ${query.sort_by_desc ? 'desc' : 'asc'} nulls last, p.id
     limit ${where.bind(query.limit)} offset ${where.bind(query.offset)}`,
    where.values,
  );
  return rows;
}

/** SQL of the value to sort by; undefined for the project's own columns. */
function sortSql(
  {
    sort_by,
    sort_by_feedback_key: key,
    feedback_of,
  }: Pick<ProjectQuery, 'sort_by' | 'sort_by_feedback_key'> & { feedback_of?: 'run' | 'session' },
  where: Where,
): string | undefined {
  const of = feedback_of ? ` and f.run_id is ${feedback_of === 'run' ? 'not ' : ''}null` : '';
  if (key !== undefined) return `select ${FEEDBACK_SCORE}${of} and f.key = ${where.bind(key)}::text`;
  if (sort_by === 'feedback') return `select ${FEEDBACK_SCORE}${of}`;
  return sort_by in SORT_COLUMNS ? undefined : statSql(STAT_COLUMNS[sort_by]!);
}

const FEEDBACK_SCORE = `avg(f.score) as value from tracing.feedback f
  where f.tenant_id = p.tenant_id and f.project_id = p.id`;

/** Projects with experiments on a dataset. */
export async function listExperimentIds(
  db: Queryable,
  tenantId: string,
  datasetId: string,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from tracing.project where tenant_id = $1 and reference_dataset_id = $2',
    [tenantId, datasetId],
  );
  return rows.map(({ id }) => id);
}
