import type { Queryable } from '../../src/platform/db/database.ts';

/** How many packs there are, how many runs are in them, and how many are not. */
export async function packedSoFar(db: Queryable): Promise<{ packs: number; packed: number; rows: number }> {
  const { rows } = await db.query<{ packs: number; packed: number; rows: number }>(
    `select (select count(*) from tracing.run_pack) as packs,
       (select coalesce(sum(cardinality(id)), 0)::bigint from tracing.run_pack) as packed,
       (select count(*) from tracing.run) as rows`,
  );
  return rows[0]!;
}

/** The packs in which these are, each once; 0 is none. */
export async function packsOfRuns(db: Queryable, ids: string[]): Promise<number[]> {
  const { rows } = await db.query<{ pack: number }>(
    'select distinct pack from tracing.any_run where id = any($1::uuid[]) order by 1',
    [ids],
  );
  return rows.map(({ pack }) => pack);
}
