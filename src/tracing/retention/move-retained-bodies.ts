import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { readInPortions } from '../bodies/block-reader.ts';
import { BlockWriter } from '../bodies/block-writer.ts';
import { encodeLocation } from '../bodies/body-location.ts';
import { mergeExtras } from '../runs/extra-parts.ts';
import { BODY_COLUMNS, type BodyColumn, SEARCHED_COLUMNS } from '../runs/run-columns.ts';
import { weekOf } from '../runs/run-time.ts';
import { allLocations, BODY_LOCATIONS, type BodyLocations, locationsOf } from '../runs/run-row.ts';
import type { ProjectRetention } from './project-retention.ts';

const RUNS_AT_ONCE = 50;

/**
 * Moves the bodies of retained traces to this week's blocks before their old week expires for the project (contract
 * §5.2), because blocks also contain bodies that must be deleted. Returns the number of runs moved.
 */
export async function moveRetainedBodies(db: Database, kept: ProjectRetention): Promise<number> {
  const first = weekOf(kept.before);
  // A cheap check for the usual case without expiring blocks.
  const { rows } = await db.query(
    'select from tracing.body_block where tenant_id = $1 and project_id = $2 and week < $3 limit 1',
    [kept.tenant_id, kept.project_id, first],
  );
  if (rows.length === 0) return 0;
  const boundary = encodeLocation({ week: first, block: 0, offset: 0 });
  let moved = 0;
  for (let count = -1; count !== 0; moved += count)
    count = await inTransaction(db, (tx) => moveSome(tx, kept, boundary));
  return moved;
}

type Row = { id: string; start_time: string } & BodyLocations;

async function moveSome(
  tx: Queryable,
  { tenant_id, project_id, kept_before }: ProjectRetention,
  boundary: string,
): Promise<number> {
  const { rows: found } = await tx.query<Row>(
    `select r.id, r.start_time, ${BODY_LOCATIONS} from tracing.run r
     where r.tenant_id = $1 and r.project_id = $2 and r.start_time >= $3
       and least(${BODY_COLUMNS.map((column) => `r.${column}`).join(', ')}, (select min(moved) from unnest(r.extra_before) moved)) < $4
       and r.trace_id in (select k.trace_id from tracing.kept_run k where k.tenant_id = $1)
     order by coalesce(r.inputs, r.outputs) limit ${RUNS_AT_ONCE} for update of r`,
    [tenant_id, project_id, kept_before, boundary],
  );
  const turns = readInPortions(tx, tenant_id, found, allLocations);
  const { value } = await turns.next();
  if (!value) return 0;
  await turns.return();
  const { rows, bodies } = value;
  const bytes = [...bodies.values()].reduce((sum, body) => sum + body.length, 0);
  const blocks = await openBlocks(tx, tenant_id, BlockWriter.blocksOf(1, bytes));
  // Null if the block is already deleted.
  const moved = (row: Row, column: BodyColumn): string | null => {
    const parts = locationsOf(row, column).flatMap((from) => bodies.get(from) ?? []);
    return parts.length > 0
      ? blocks.add(
          { project_id, start_time: row.start_time, isSearched: SEARCHED_COLUMNS.has(column) },
          mergeExtras(parts),
        )
      : null;
  };
  const columns = BODY_COLUMNS.map((column) => rows.map((row) => moved(row, column)));
  const written = await blocks.statement();
  if (written) await tx.query(written.text, written.values);
  await tx.query(
    `update tracing.run r set extra_before = null, extra_keys = null, ${BODY_COLUMNS.map((column) => `${column} = n.${column}`).join(', ')}
     from unnest($2::uuid[], $3::timestamptz[], ${BODY_COLUMNS.map((_, at) => `$${at + 4}::bigint[]`).join(', ')})
       as n (id, start_time, ${BODY_COLUMNS.join(', ')})
     where r.tenant_id = $1 and r.id = n.id and r.start_time = n.start_time`,
    [tenant_id, rows.map(({ id }) => id), rows.map(({ start_time }) => start_time), ...columns],
  );
  return rows.length;
}

/** Opens a writer for this week's blocks. */
async function openBlocks(tx: Queryable, tenantId: string, count: number): Promise<BlockWriter> {
  const week = weekOf(new Date().toISOString());
  await tx.query('select tracing.ensure_week($1)', [week]);
  const { rows } = await tx.query<{ id: number }>(
    `select nextval('tracing.body_block_id') as id from generate_series(1, $1)`,
    [count],
  );
  return new BlockWriter(
    tenantId,
    week,
    rows.map(({ id }) => Number(id)),
  );
}
