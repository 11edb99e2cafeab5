import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';

export type Phase = 'build' | 'deploy';

export interface NewLine {
  level: string;
  message: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface LogLine {
  id: string;
  timestamp: number;
  level: string;
  message: string;
}

/** Appends lines in order. */
export async function insertLines(
  db: Queryable,
  { deployment_id, id }: { deployment_id: string; id: string },
  phase: Phase,
  lines: NewLine[],
): Promise<void> {
  await db.query(
    `insert into control_plane.log_line (deployment_id, revision_id, phase, level, message, at)
     select $1, $2, $3, level, message, to_timestamp(at / 1000)
     from unnest($4::text[], $5::text[], $6::float8[]) with ordinality line (level, message, at, number)
     order by number`,
    [
      deployment_id,
      id,
      phase,
      lines.map(({ level }) => level),
      lines.map(({ message }) => message),
      lines.map(({ at }) => at),
    ],
  );
}

/** Keeps only the latest lines of a revision's runtime log. */
export async function trimLines(db: Queryable, revisionId: string, most: number): Promise<void> {
  await db.query(
    `delete from control_plane.log_line where revision_id = $1 and phase = 'deploy' and id <= (
       select id from control_plane.log_line where revision_id = $1 and phase = 'deploy'
       order by id desc offset $2 limit 1)`,
    [revisionId, most],
  );
}

const LINES_AT_ONCE = 10_000;

/** Deletes some of the lines older than that many days. Returns whether none are left. */
export async function removeOldLines(
  db: Queryable,
  days: number,
): Promise<{ removed: number; isDone: boolean }> {
  const { rowCount } = await db.query(
    // Ids grow with time, so the oldest lines come first.
    `with first as (select id, at from control_plane.log_line order by id limit ${LINES_AT_ONCE})
     delete from control_plane.log_line using first where log_line.id = first.id
       and first.at < clock_timestamp() - make_interval(days => $1)`,
    [days],
  );
  const removed = rowCount ?? 0;
  return { removed, isDone: removed < LINES_AT_ONCE };
}

export interface LogFilter {
  phase: Phase;
  deployment_id: string;
  revision_id?: string | undefined;
  level?: string | undefined;
  /** Case-insensitive substring. */
  query?: string | undefined;
  start_time?: Date | undefined;
  end_time?: Date | undefined;
  order: 'asc' | 'desc';
  limit: number;
  /** Id of the previous page's last line. */
  after?: string | undefined;
}

/** Lines in id order; `start_time` is inclusive. */
export async function listLines(db: Queryable, filter: LogFilter): Promise<LogLine[]> {
  const where = new Where()
    .andEquals('deployment_id', filter.deployment_id)
    .andEquals('revision_id', filter.revision_id)
    .andEquals('phase', filter.phase)
    .andEquals('level', filter.level);
  if (filter.query) where.and`position(lower(${filter.query}) in lower(message)) > 0`;
  if (filter.start_time) where.and`at >= ${filter.start_time.toISOString()}`;
  if (filter.end_time) where.and`at <= ${filter.end_time.toISOString()}`;
  if (filter.after && filter.order === 'asc') where.and`id > ${filter.after}`;
  if (filter.after && filter.order === 'desc') where.and`id < ${filter.after}`;
  const { rows } = await db.query<LogLine>(
    `select id::text, round(extract(epoch from at) * 1000)::float8 as timestamp, level, message
     from control_plane.log_line ${where.text} order by log_line.id ${filter.order} limit ${where.bind(filter.limit)}`,
    where.values,
  );
  return rows;
}
