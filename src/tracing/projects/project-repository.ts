import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { fieldFilterSql } from '../query/filter/field-filter.ts';
import { PROJECT_FILTER } from './project-filter.ts';
import type { Project, ProjectCreate, ProjectPatch, ProjectQuery } from './project.ts';
import { STAT_COLUMNS, statSql } from './project-stats.ts';

const COLUMNS = `p.id, p.tenant_id, p.name, p.description, p.extra, p.reference_dataset_id, p.default_dataset_id,
  p.trace_tier, p.retention_days, p.longlived_ttl_days, p.start_time, p.end_time`;

/** What is new wins, key by key; `metadata` is merged in the same way. */
const merged = (
  value: string,
): string => `p.extra || ${value} || case when p.extra ? 'metadata' and ${value} ? 'metadata'
  then jsonb_build_object('metadata', (p.extra -> 'metadata') || (${value} -> 'metadata')) else '{}' end`;

/** Returns undefined when the name is taken, unless what is there is to be changed. */
export async function insertProject(
  db: Queryable,
  tenantId: string,
  project: Omit<ProjectCreate, 'extra'> & { id: string; extra: JsonObject },
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

/** What is not given stays, days are taken away by null; `extra` is merged. */
export async function updateProject(
  db: Queryable,
  tenantId: string,
  id: string,
  patch: ProjectPatch,
): Promise<Project | undefined> {
  const { rows } = await db.query<Project>(
    `update tracing.project p set name = coalesce($3, p.name), description = coalesce($4, p.description),
       extra = ${merged('$5::jsonb')}, default_dataset_id = coalesce($6, p.default_dataset_id),
       trace_tier = coalesce($7, p.trace_tier), end_time = coalesce($8, p.end_time),
       retention_days = case when $9 then $10 else p.retention_days end,
       longlived_ttl_days = case when $11 then $12 else p.longlived_ttl_days end, updated_at = clock_timestamp()
     where p.tenant_id = $1 and p.id = $2 returning ${COLUMNS}`,
    [
      tenantId,
      id,
      patch.name,
      patch.description,
      JSON.stringify(patch.extra ?? {}),
      patch.default_dataset_id,
      patch.trace_tier,
      patch.end_time,
      'retention_days' in patch,
      patch.retention_days,
      'longlived_ttl_days' in patch,
      patch.longlived_ttl_days,
    ],
  );
  return rows[0];
}

const SORT_COLUMNS: Record<string, string> = {
  start_time: 'p.start_time',
  end_time: 'p.end_time',
  name: 'p.name',
  created_at: 'p.created_at',
  modified_at: 'p.updated_at',
};

/** A page of the tenant's projects. Runs and feedback are looked at only where it is sorted by what they say. */
export async function listProjects(
  db: Queryable,
  tenantId: string,
  query: Omit<ProjectQuery, 'metadata' | 'include_stats' | 'facets'> & { metadata: JsonObject | undefined },
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

/** What is to be known of each project to sort it; undefined where its own columns tell. */
function sortSql(
  { sort_by, sort_by_feedback_key: key }: Pick<ProjectQuery, 'sort_by' | 'sort_by_feedback_key'>,
  where: Where,
): string | undefined {
  if (key !== undefined) return `select ${FEEDBACK_SCORE} and f.key = ${where.bind(key)}::text`;
  if (sort_by === 'feedback') return `select ${FEEDBACK_SCORE}`;
  return sort_by in SORT_COLUMNS ? undefined : statSql(STAT_COLUMNS[sort_by]!);
}

const FEEDBACK_SCORE = `avg(f.score) as value from tracing.feedback f
  where f.tenant_id = p.tenant_id and f.project_id = p.id`;
