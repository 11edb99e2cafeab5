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
