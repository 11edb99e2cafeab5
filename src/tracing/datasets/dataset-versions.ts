import type { Queryable } from '../../platform/db/database.ts';
import { storableText } from '../../platform/storable-text.ts';
import { DatasetNotFound, VersionNotFound } from '../errors.ts';
import { readTime } from '../runs/run-time.ts';

/** A state of a dataset's examples (contract §1.13). The newest has the tag `latest`. */
export interface DatasetVersion {
  as_of: string;
  tags: string[];
}

const LATEST = 'latest';

/**
 * Starts a change to a dataset's examples and locks out other changes until the transaction ends. Returns the new
 * version's time, in whole milliseconds to match the precision of client dates. Throws DatasetNotFound.
 */
export async function nextVersion(tx: Queryable, tenantId: string, datasetId: string): Promise<string> {
  const { rows } = await tx.query<{ as_of: string }>(
    `with changed as (
       update tracing.dataset
       set version_at = greatest(date_trunc('milliseconds', clock_timestamp()), version_at + interval '1 millisecond')
       where tenant_id = $1 and id = $2 returning version_at)
     insert into tracing.dataset_version (tenant_id, dataset_id, as_of) select $1, $2, version_at from changed
     returning as_of`,
    [tenantId, datasetId],
  );
  if (!rows[0]) throw new DatasetNotFound(datasetId);
  return rows[0].as_of;
}

/** Resolves a time or tag; undefined for the newest version. Throws VersionNotFound. */
export async function readAsOf(
  db: Queryable,
  tenantId: string,
  datasetId: string | undefined,
  asOf: string | undefined,
): Promise<string | undefined> {
  if (asOf === undefined || asOf === LATEST) return undefined;
  const time = readTime(asOf);
  if (time) return time;
  const { rows } = await db.query<{ as_of: string }>(
    'select as_of from tracing.dataset_tag where tenant_id = $1 and dataset_id = $2 and tag = $3',
    [tenantId, datasetId, storableText(asOf)],
  );
  if (!rows[0]) throw new VersionNotFound(asOf);
  return rows[0].as_of;
}

const VERSIONS = `select v.as_of, coalesce((select array_agg(t.tag order by t.tag) from tracing.dataset_tag t
      where t.tenant_id = v.tenant_id and t.dataset_id = v.dataset_id and t.as_of = v.as_of), '{}')
    || case when v.as_of = d.version_at then '{${LATEST}}'::text[] else '{}' end as tags
  from tracing.dataset_version v
  join tracing.dataset d on d.tenant_id = v.tenant_id and d.id = v.dataset_id
  where v.tenant_id = $1 and v.dataset_id = $2`;

/** Newest first. */
export async function listVersions(
  db: Queryable,
  tenantId: string,
  datasetId: string,
  { search, limit, offset }: { search?: string | undefined; limit: number; offset: number },
): Promise<DatasetVersion[]> {
  const { rows } = await db.query<DatasetVersion>(
    `select * from (${VERSIONS}) v
     where $5::text is null or exists (select 1 from unnest(v.tags) as tag where strpos(lower(tag), lower($5)) > 0)
     order by v.as_of desc limit $3 offset $4`,
    [tenantId, datasetId, limit, offset, search],
  );
  return rows;
}

/** The version current at that time; undefined before the first. */
export async function findVersion(
  db: Queryable,
  tenantId: string,
  datasetId: string,
  asOf: string | undefined,
): Promise<DatasetVersion | undefined> {
  const { rows } = await db.query<DatasetVersion>(
    `${VERSIONS} and ($3::timestamptz is null or v.as_of <= $3) order by v.as_of desc limit 1`,
    [tenantId, datasetId, asOf],
  );
  return rows[0];
}

/** Moves a tag to the version of that time. Without a time, removes the tag. */
export async function tagVersion(
  db: Queryable,
  tenantId: string,
  datasetId: string,
  tag: string,
  asOf: string | null,
): Promise<void> {
  await db.query(
    asOf === null
      ? 'delete from tracing.dataset_tag where tenant_id = $1 and dataset_id = $2 and tag = $3'
      : `insert into tracing.dataset_tag (tenant_id, dataset_id, tag, as_of) values ($1, $2, $3, $4)
         on conflict (tenant_id, dataset_id, tag) do update set as_of = excluded.as_of`,
    asOf === null ? [tenantId, datasetId, tag] : [tenantId, datasetId, tag, asOf],
  );
}

export interface DatasetDiff {
  examples_modified: string[];
  examples_added: string[];
  examples_removed: string[];
}

/** Changes between two times; a missing time means now. */
export async function diffVersions(
  db: Queryable,
  tenantId: string,
  datasetId: string,
  from: string | undefined,
  to: string | undefined,
): Promise<DatasetDiff> {
  const at = (time: string) => `select e.id, e.valid_from from tracing.example e
    where e.tenant_id = $1 and e.dataset_id = $2 and e.valid_from <= coalesce(${time}::timestamptz, 'infinity')
      and (e.valid_to is null or e.valid_to > coalesce(${time}::timestamptz, 'infinity'))`;
  const { rows } = await db.query<{ id: string; change: keyof DatasetDiff }>(
    `select coalesce(a.id, b.id) as id,
       case when a.id is null then 'examples_added' when b.id is null then 'examples_removed'
         else 'examples_modified' end as change
     from (${at('$3')}) a full join (${at('$4')}) b on a.id = b.id
     where a.valid_from is distinct from b.valid_from order by 1`,
    [tenantId, datasetId, from, to],
  );
  const diff: DatasetDiff = { examples_modified: [], examples_added: [], examples_removed: [] };
  for (const { id, change } of rows) diff[change].push(id);
  return diff;
}
