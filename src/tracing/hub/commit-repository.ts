import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import { AmbiguousCommit, type Commit, hashCommit, NothingChanged, StaleParent } from './commit.ts';

const COLUMNS = `c.id, c.repo_id, c.commit_hash, c.parent_commit_hash, c.manifest, c.description, c.example_run_ids,
  c.num_downloads, 0 as num_views, c.created_at`;

/** Newest first. */
export async function listCommits(
  db: Queryable,
  repoId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<Commit[]> {
  const { rows } = await db.query<Commit>(
    `select ${COLUMNS} from tracing.repo_commit c where c.repo_id = $1 order by c.number desc limit $2 offset $3`,
    [repoId, limit, offset],
  );
  return rows;
}

const HASH = /^[0-9a-f]{8,64}$/;

/** Finds a commit by `latest`, tag, hash or hash prefix. Throws AmbiguousCommit if several hashes match. */
export async function findCommit(db: Queryable, repoId: string, ref: string): Promise<Commit | undefined> {
  if (ref === 'latest') return (await listCommits(db, repoId, { limit: 1, offset: 0 }))[0];
  const { rows } = await db.query<Commit & { is_tagged: boolean }>(
    `select ${COLUMNS}, t.commit_id is not null as is_tagged from tracing.repo_commit c
     left join tracing.repo_tag t on t.repo_id = c.repo_id and t.commit_id = c.id and t.tag_name = $2
     where c.repo_id = $1 and (t.commit_id is not null or ($3 and starts_with(c.commit_hash, $2)))
     order by is_tagged desc limit 2`,
    [repoId, ref, HASH.test(ref)],
  );
  const [found, other] = rows;
  if (!found) return undefined;
  if (other && !found.is_tagged) throw new AmbiguousCommit(ref);
  const { is_tagged: _, ...commit } = found;
  return commit;
}

export interface CommitToMake {
  manifest: unknown;
  /** Hash, hash prefix or `latest`. */
  parent: string | undefined;
  example_run_ids?: string[] | undefined;
  description?: string | undefined;
}

/** Appends a commit to the latest. Throws StaleParent, NothingChanged. */
export function makeCommit(db: Database, repoId: string, commit: CommitToMake): Promise<Commit> {
  const manifest = JSON.stringify(commit.manifest);
  return inTransaction(db, async (tx) => {
    // Serialises commits to a repository.
    await tx.query('update tracing.repo set updated_at = clock_timestamp() where id = $1', [repoId]);
    const [latest] = await listCommits(tx, repoId, { limit: 1, offset: 0 });
    const isLatest = commit.parent ? latest?.commit_hash.startsWith(commit.parent) : !latest;
    if (commit.parent !== 'latest' && !isLatest) throw new StaleParent(latest?.commit_hash);
    if (latest && JSON.stringify(latest.manifest) === manifest) throw new NothingChanged();
    const { rows } = await tx.query<Commit>(
      `insert into tracing.repo_commit as c
         (id, repo_id, number, commit_hash, parent_commit_hash, manifest, description, example_run_ids)
       select $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7 from tracing.repo_commit where repo_id = $2
       returning ${COLUMNS}`,
      [
        uuid7(),
        repoId,
        hashCommit(latest?.commit_hash, manifest),
        latest?.commit_hash,
        manifest,
        commit.description,
        commit.example_run_ids ?? [],
      ],
    );
    return rows[0]!;
  });
}

export async function countDownload(db: Queryable, { id, repo_id }: Commit): Promise<void> {
  await db.query(
    `with counted as (update tracing.repo_commit set num_downloads = num_downloads + 1 where id = $1)
     update tracing.repo set num_downloads = num_downloads + 1 where id = $2`,
    [id, repo_id],
  );
}
