import type { Queryable } from '../../platform/db/database.ts';
import type { Caller } from '../tracing-deps.ts';
import type { Repo, RepoCreate, RepoPatch, RepoQuery } from './repo.ts';

/** Selects repositories as seen by tenant `$1` and user `$2`; ends before `where`. */
const SELECT = `select r.id, r.repo_handle, r.repo_type, h.tenant_handle as owner,
    coalesce(h.tenant_handle, '-') || '/' || r.repo_handle as full_name, r.description, r.readme, r.tenant_id,
    r.created_at, r.updated_at, r.is_public, r.is_archived, r.tags, l.num_likes, r.num_downloads, r.num_views,
    coalesce(c.number, 0) as num_commits, l.liked_by_auth_user, c.commit_hash as last_commit_hash,
    null as original_repo_id, null as upstream_repo_id, null as original_repo_full_name, null as upstream_repo_full_name
  from tracing.repo r
  left join tracing.hub_settings h on h.tenant_id = r.tenant_id
  left join lateral (
    select number, commit_hash from tracing.repo_commit where repo_id = r.id order by number desc limit 1) c on true
  cross join lateral (
    select count(*) as num_likes,
      coalesce(bool_or(tenant_id = $1 and liked_by = $2), false) as liked_by_auth_user
    from tracing.repo_like where repo_id = r.id) l`;

/** Finds an own or public repository by name. */
export async function findRepo(
  db: Queryable,
  caller: Caller,
  name: { owner: string; repo: string },
): Promise<Repo | undefined> {
  const { rows } = await db.query<Repo>(
    `${SELECT} where r.repo_handle = $4
       and case when $3 = '-' then r.tenant_id = $1 else h.tenant_handle = $3 and (r.is_public or r.tenant_id = $1) end`,
    [caller.tenant_id, caller.name, name.owner, name.repo],
  );
  return rows[0];
}

/** A page of own repositories, or of all public ones if only public ones are requested. */
export async function listRepos(
  db: Queryable,
  caller: Caller,
  query: RepoQuery,
): Promise<{ repos: Repo[]; total: number }> {
  const { rows } = await db.query<Repo & { total: number }>(
    `select *, count(*) over () as total from (${SELECT}
       where (r.tenant_id = $1 or ($3 is true and r.is_public)) and ($3::boolean is null or r.is_public = $3)
         and ($4::boolean is null or r.is_archived = $4) and r.repo_type = $5
         and ($6::text[] is null or r.tags @> $6)
         and ($7::text is null or case when $8 then starts_with(r.repo_handle, lower($7)) else
           position(lower($7) in lower(concat_ws(' ', r.repo_handle, h.tenant_handle, r.description, r.readme))) > 0 end)) found
     order by found.${query.sort_field} ${query.sort_direction}, found.id limit $9 offset $10`,
    [
      caller.tenant_id,
      caller.name,
      query.is_public,
      query.is_archived,
      query.repo_type,
      query.tags,
      query.query,
      query.match_prefix,
      query.limit,
      query.offset,
    ],
  );
  return { repos: rows, total: rows[0]?.total ?? 0 };
}

/** Returns false if the handle is taken. */
export async function insertRepo(
  db: Queryable,
  tenantId: string,
  repo: RepoCreate & { id: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into tracing.repo (id, tenant_id, repo_handle, repo_type, description, readme, tags, is_public)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (tenant_id, repo_handle) do nothing`,
    [
      repo.id,
      tenantId,
      repo.repo_handle,
      repo.repo_type,
      repo.description,
      repo.readme,
      repo.tags ?? [],
      repo.is_public,
    ],
  );
  return rowCount === 1;
}

export async function updateRepo(db: Queryable, id: string, patch: RepoPatch): Promise<void> {
  await db.query(
    `update tracing.repo set description = coalesce($2, description), readme = coalesce($3, readme),
       tags = coalesce($4, tags), is_public = coalesce($5, is_public), is_archived = coalesce($6, is_archived),
       updated_at = clock_timestamp() where id = $1`,
    [id, patch.description, patch.readme, patch.tags, patch.is_public, patch.is_archived],
  );
}

export async function deleteRepo(db: Queryable, id: string): Promise<void> {
  await db.query('delete from tracing.repo where id = $1', [id]);
}

export async function countView(db: Queryable, id: string): Promise<void> {
  await db.query('update tracing.repo set num_views = num_views + 1 where id = $1', [id]);
}

/** Returns the new number of likes. */
export async function setLike(db: Queryable, caller: Caller, id: string, like: boolean): Promise<number> {
  const values = [id, caller.tenant_id, caller.name];
  await db.query(
    like
      ? 'insert into tracing.repo_like (repo_id, tenant_id, liked_by) values ($1, $2, $3) on conflict do nothing'
      : 'delete from tracing.repo_like where repo_id = $1 and tenant_id = $2 and liked_by = $3',
    values,
  );
  const { rows } = await db.query<{ likes: number }>(
    'select count(*) as likes from tracing.repo_like where repo_id = $1',
    [id],
  );
  return rows[0]!.likes;
}
