import type { Statement } from '../../platform/db/database.ts';
import { locationSql } from '../bodies/body-location.ts';
import type { PositionedRun } from './run-writer.ts';

/** A run known only from a patch is stored at a guessed time until its post arrives. */
export function awaitedStatements(tenantId: string, positioned: PositionedRun[]): Statement[] {
  const guessed = positioned.filter(({ run, isGuess }) => isGuess && !run.isPosted);
  const posted = positioned.filter(({ run }) => run.isPosted);
  const valuesOf = (runs: PositionedRun[]) => [
    tenantId,
    runs.map(({ run }) => run.id),
    runs.map(({ start_time }) => start_time),
  ];
  const statements: Statement[] = [];
  if (posted.length > 0)
    statements.push(
      { name: 'tracing-move-awaited', text: MOVE, values: valuesOf(posted) },
      { name: 'tracing-follow-moved', text: FOLLOW, values: valuesOf(posted) },
    );
  if (guessed.length > 0)
    statements.push({
      name: 'tracing-note-awaited',
      text: `insert into tracing.run_awaited (tenant_id, id, start_time)
        select $1, r.id, r.start_time from unnest($2::uuid[], $3::timestamptz[]) as r (id, start_time)
        on conflict (tenant_id, id) do nothing`,
      values: valuesOf(guessed),
    });
  return statements;
}

const MOVE = `with awaited as (
    select a.id, a.start_time as guessed, r.start_time from tracing.run_awaited a
    join unnest($2::uuid[], $3::timestamptz[]) as r (id, start_time) on r.id = a.id
    where a.tenant_id = $1 order by a.id for update of a)
  update tracing.run t set start_time = a.start_time from awaited a
  where t.tenant_id = $1 and t.id = a.id and t.start_time = a.guessed and a.start_time <> a.guessed`;

// A separate statement, so that it sees rows committed while the first one waited. Related rows are found by time.
const FOLLOW = `with moved as (
    delete from tracing.run_awaited a using unnest($2::uuid[], $3::timestamptz[]) as r (id, start_time)
    where a.tenant_id = $1 and a.id = r.id returning a.id, a.start_time as guessed, r.start_time),
  block as (
    select ${locationSql.week('p.place')} as week, ${locationSql.block('p.place')} as id,
      min(m.start_time) as first_start, max(m.start_time) as last_start
    from moved m join tracing.run r on r.tenant_id = $1 and r.id = m.id and r.start_time = m.start_time
    cross join lateral unnest(array[r.inputs, r.outputs]) as p (place)
    where p.place is not null group by 1, 2),
  -- A fixed lock order prevents deadlocks between writers.
  held as (
    select b.week, b.id, w.first_start, w.last_start from block w
    join tracing.body_block b on b.tenant_id = $1 and b.week = w.week and b.id = w.id
    order by b.week, b.id for update of b),
  widened as (
    update tracing.body_block b set first_start = least(b.first_start, h.first_start),
      last_start = greatest(b.last_start, h.last_start)
    from held h where b.week = h.week and b.id = h.id)
  insert into tracing.run_words (tenant_id, first_start, last_start)
  select $1, start_time, start_time from moved where start_time <> guessed`;
