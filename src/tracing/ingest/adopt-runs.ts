import type { Statement } from '../../platform/db/database.ts';
import { SEGMENT_LENGTH } from '../runs/dotted-order.ts';
import type { Located } from './order-runs.ts';

// Search window around a child's parent: clocks differ, and agents may run for weeks.
const BEFORE_MS = 86_400_000;
const AFTER_MS = 30 * 86_400_000;

/** Links each orphan to an existing parent. */
const PLACES = `link as (
    select o.tenant_id, o.trace_id, p.trace_id as home, right(o.dotted_order, 58) as top,
      case when length(o.dotted_order) > 58 then left(o.dotted_order, length(o.dotted_order) - 59)
        else p.dotted_order end as under
    from child o cross join lateral (
      select p.trace_id, p.dotted_order from tracing.run p
      where p.tenant_id = o.tenant_id and p.id = coalesce(o.parent_run_id, o.orphan_of) and p.id <> o.id
        and p.start_time between o.start_time - interval '30 days' and o.start_time + interval '1 day'
        and (p.trace_id = o.trace_id or o.trace_id = o.id)
      order by p.start_time desc limit 1) p),
  -- Follows parents that were linked in the same step. Cycles are never reached.
  placed as (
    select l.tenant_id, l.trace_id, l.top, l.home, l.under, 1 as depth from link l
    where not exists (select from link u
      where u.tenant_id = l.tenant_id and u.top = left(l.under, 58) and u.trace_id = l.home)
    union all
    select l.tenant_id, l.trace_id, l.top, p.home, p.under || '.' || l.under, p.depth + 1
    from placed p join link l on l.tenant_id = p.tenant_id and left(l.under, 58) = p.top and l.home = p.trace_id
    where p.depth < 100)`;

const ADOPT = `update tracing.run t
  set dotted_order = p.under || '.' || t.dotted_order, trace_id = p.home,
    parent_run_id = coalesce(t.parent_run_id, t.orphan_of), orphan_of = null, updated_at = clock_timestamp()
  from placed p
  where t.tenant_id = p.tenant_id and t.trace_id = p.trace_id and left(t.dotted_order, 58) = p.top
    and length(p.under) + length(t.dotted_order) < 5900`;

/**
 * Links children and parents that arrived in different batches, in either order: the dotted orders of the child and
 * its descendants get the parent's as prefix. Undefined if every run gave its own dotted order.
 */
export function adoptStatement(
  tenantId: string,
  located: Located[],
  dottedOrderOf: (id: string) => string,
): Statement | undefined {
  if (located.every(({ run }) => run.position.dotted_order)) return undefined;
  const awaiting = located.filter(
    ({ run: { id, position } }) =>
      !position.dotted_order && position.parent_run_id && dottedOrderOf(id).length === SEGMENT_LENGTH,
  );
  const times = located.map(({ start_time }) => Date.parse(start_time));
  return {
    name: 'tracing-adopt-runs',
    text: `with recursive child as (
        select r.* from unnest($2::uuid[], $3::timestamptz[]) as c (id, start_time)
        join tracing.run r on r.tenant_id = $1 and r.id = c.id and r.start_time = c.start_time
        union all
        select r.* from tracing.run r
        where r.tenant_id = $1 and length(r.dotted_order) = 58 and coalesce(r.parent_run_id, r.orphan_of) = any($4)
          and r.start_time between $5 and $6 and r.id <> all($2)),
      ${PLACES}
      ${ADOPT}`,
    values: [
      tenantId,
      awaiting.map(({ run }) => run.id),
      awaiting.map(({ start_time }) => start_time),
      located.map(({ run }) => run.id),
      new Date(Math.min(...times) - BEFORE_MS).toISOString(),
      new Date(Math.max(...times) + AFTER_MS).toISOString(),
    ],
  };
}

/** The same for children stored a moment ago whose parents were written concurrently. */
export const ADOPT_LATER = `with recursive child as (
    select r.* from tracing.run r
    where length(r.dotted_order) = 58 and r.parent_run_id is not null
    order by r.inserted_at desc limit $1),
  ${PLACES}
  ${ADOPT}
  returning t.tenant_id, t.trace_id`;
