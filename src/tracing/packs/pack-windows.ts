import { Where } from '../../platform/db/where.ts';
import type { Read } from '../query/page-rows.ts';
import type { Reach } from '../query/reach.ts';
import { isNarrow, type PageAsked, type RunQuery } from '../query/run-query.ts';
import { packConditions } from './packs-of-query.ts';

/**
 * A time in which runs began; undefined is without an end. Downwards its lower end is not part of it, upwards the upper
 * one: a window begins where the one before ended.
 */
export interface Window {
  since: string | undefined;
  until: string | undefined;
  /** False where no pack had a run of this time when it was asked. */
  isPacked: boolean;
}

const MOST_AT_ONCE = 64;

/** What follows `select` of the packs `r` that may hold runs of a query, as the runs in them say it. */
function packsOf(query: RunQuery, bind: (value: unknown) => string, more: string[]): string {
  const conditions = [
    `r.tenant_id = ${bind(query.tenant_id)}::uuid`,
    ...packConditions(query, bind),
    ...more,
  ];
  if (query.projects) conditions.push(`r.project_id = any(${bind(query.projects)}::uuid[])`);
  return `from (select tenant_id, project_id, pack, first_start as pack_first, last_start as pack_last
    from tracing.run_pack) r where ${conditions.join(' and ')}`;
}

/**
 * The windows in which a page is looked for, one after the other in its order, so that no more packs are read than it takes
 * to fill it: the first one has none, the next one, then two, four. Where a reach is told, it is gone downwards.
 */
export async function* packWindows(
  read: Read,
  query: RunQuery,
  { order, after }: Pick<PageAsked, 'order' | 'after'>,
  reach?: Reach,
): AsyncGenerator<Window, void, undefined> {
  let edge = after?.start_time ?? reach?.spans.at(-1)?.[1];
  if (isNarrow(query)) return yield { since: undefined, until: undefined, isPacked: true };
  const asked = { query, order, since: reach?.spans[0]?.[0] };
  for (let packs = 0; ;) {
    const { next, overlaps } = await nextEdge(read, asked, edge, packs);
    const [since, until] = order === 'desc' ? [next, edge] : [edge, next];
    yield { since, until, isPacked: packs > 0 || overlaps };
    if (next === undefined) return;
    // Of many that end at one time, all are passed at last.
    packs = next === edge ? packs * 2 || 1 : Math.min(packs * 2 || 1, MOST_AT_ONCE);
    edge = next;
  }
}

/** Where the packs that follow these begin, undefined where there are no more; and whether one lies across the edge. */
async function nextEdge(
  read: Read,
  { query, order, since }: { query: RunQuery; order: PageAsked['order']; since: string | undefined },
  edge: string | undefined,
  packs: number,
): Promise<{ next: string | undefined; overlaps: boolean }> {
  const where = new Where();
  const bind = (value: unknown) => where.bind(value);
  const from = packsOf(
    query,
    bind,
    since === undefined ? [] : [`r.pack_last >= ${bind(since)}::timestamptz`],
  );
  const at = edge === undefined ? undefined : `${bind(edge)}::timestamptz`;
  const [column, compared] = order === 'desc' ? ['pack_last', '<='] : ['pack_first', '>='];
  const [row] = await read<{ next: string | null; overlaps: boolean }>({
    text: `select (select r.${column} ${from} ${at ? `and r.${column} ${compared} ${at}` : ''}
        order by 1 ${order} limit 1 offset ${bind(packs)}::int) as next,
      ${at ? `exists (select ${from} and r.pack_first <= ${at} and r.pack_last >= ${at})` : 'false'} as overlaps`,
    values: where.values,
  });
  return { next: row!.next ?? undefined, overlaps: row!.overlaps };
}

/**
 * Of a window without packs, in one statement with what it reads: whether there is one by now. Runs that were packed since
 * it was asked would be on no page.
 */
export function packedSql(
  query: RunQuery,
  window: Partial<Window>,
  order: PageAsked['order'],
  bind: (value: unknown) => string,
): string {
  const within = windowConditions(window, order, bind, ['r.pack_last', 'r.pack_first']);
  return `exists (select ${packsOf(query, bind, within)})`;
}

/** What keeps the runs `r` of a statement within a window; `last` and `first` are columns of their times. */
export function windowConditions(
  { since, until }: Partial<Window>,
  order: PageAsked['order'],
  bind: (value: unknown) => string,
  [last, first] = ['r.start_time', 'r.start_time'],
): string[] {
  const [lower, upper] = order === 'desc' ? ['>', '<='] : ['>=', '<'];
  return [
    ...(since === undefined ? [] : [`${last} ${lower} ${bind(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`${first} ${upper} ${bind(until)}::timestamptz`]),
  ];
}
