import type { Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { Tag } from './tag.ts';

export async function listTags(db: Queryable, repoId: string, name?: string): Promise<Tag[]> {
  const { rows } = await db.query<Tag>(
    `select t.id, t.repo_id, t.commit_id, c.commit_hash, t.tag_name, t.created_at, t.updated_at
     from tracing.repo_tag t join tracing.repo_commit c on c.id = t.commit_id
     where t.repo_id = $1 and ($2::text is null or t.tag_name = $2) order by t.tag_name`,
    [repoId, name],
  );
  return rows;
}

/** Undefined if the repository has no such commit. */
export async function setTag(
  db: Queryable,
  repoId: string,
  name: string,
  commitId: string,
): Promise<Tag | undefined> {
  await db.query(
    `insert into tracing.repo_tag (id, repo_id, tag_name, commit_id)
     select $1, c.repo_id, $3, c.id from tracing.repo_commit c where c.repo_id = $2 and c.id = $4
     on conflict (repo_id, tag_name) do update set commit_id = excluded.commit_id, updated_at = clock_timestamp()`,
    [uuid7(), repoId, name, commitId],
  );
  const [tag] = await listTags(db, repoId, name);
  return tag?.commit_id === commitId ? tag : undefined;
}

/** False if the repository has no such tag. */
export async function deleteTag(db: Queryable, repoId: string, name: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from tracing.repo_tag where repo_id = $1 and tag_name = $2', [
    repoId,
    name,
  ]);
  return rowCount === 1;
}
