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
}

const MOST_AT_ONCE = 64;

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
  const asked = { ...query, since: reach?.spans[0]?.[0] };
  let edge = after?.start_time ?? reach?.spans.at(-1)?.[1];
  for (let packs = 0; ;) {
    const next = isNarrow(query) ? undefined : await nextEdge(read, asked, order, edge, packs);
    yield order === 'desc' ? { since: next, until: edge } : { since: edge, until: next };
    if (next === undefined) return;
    // Of many that end at one time, all are passed at last.
    packs = next === edge ? packs * 2 || 1 : Math.min(packs * 2 || 1, MOST_AT_ONCE);
    edge = next;
  }
}

/** Where the packs that follow these begin; undefined where there are no more. */
async function nextEdge(
  read: Read,
  { since, ...query }: RunQuery & { since: string | undefined },
  order: PageAsked['order'],
  edge: string | undefined,
  packs: number,
): Promise<string | undefined> {
  const where = new Where();
  const [column, compared] = order === 'desc' ? ['pack_last', '<='] : ['pack_first', '>='];
  const conditions = [
    `r.tenant_id = ${where.bind(query.tenant_id)}::uuid`,
    ...packConditions(query, (value) => where.bind(value)),
  ];
  if (query.projects) conditions.push(`r.project_id = any(${where.bind(query.projects)}::uuid[])`);
  if (edge !== undefined) conditions.push(`r.${column} ${compared} ${where.bind(edge)}::timestamptz`);
  if (since !== undefined) conditions.push(`r.pack_last >= ${where.bind(since)}::timestamptz`);
  const rows = await read<{ edge: string }>({
    text: `select r.${column} as edge from (
        select tenant_id, project_id, first_start as pack_first, last_start as pack_last, keys as pack_keys
        from tracing.run_pack) r
      where ${conditions.join(' and ')} order by 1 ${order} limit 1 offset ${where.bind(packs)}::int`,
    values: where.values,
  });
  return rows[0]?.edge;
}

/** What keeps the runs `r` of a statement within a window. */
export function windowConditions(
  { since, until }: Window,
  order: PageAsked['order'],
  bind: (value: unknown) => string,
): string[] {
  const [lower, upper] = order === 'desc' ? ['>', '<='] : ['>=', '<'];
  const conditions: string[] = [];
  const within = (column: string, pack: string, compared: string, time: string | undefined): void => {
    if (time === undefined) return;
    const bound = bind(time);
    for (const name of [column, pack]) conditions.push(`r.${name} ${compared} ${bound}::timestamptz`);
  };
  within('start_time', 'pack_last', lower, since);
  within('start_time', 'pack_first', upper, until);
  return conditions;
}
