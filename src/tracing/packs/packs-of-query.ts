import type { RunQuery } from '../query/run-query.ts';
import { filterKeys } from './filter-keys.ts';
import { hasId, hasSaid, ofThread } from './where-packed.ts';

/** What a query says of the packs that its runs may be in, as SQL of a run `r` in them; see where-packed. */
export function packConditions(query: RunQuery, bind: (value: unknown) => string, r = 'r'): string[] {
  const { ids, traces, parent, examples, thread, run_type, has_error, from, until, filter } = query;
  const conditions: string[] = [];
  for (const named of [ids, traces, parent && [parent], examples])
    if (named) conditions.push(hasId(r, bind(named)));
  if (thread !== undefined) conditions.push(ofThread(r, `${bind(thread)}::text`));
  const said = filterKeys(filter);
  if (run_type !== undefined) said.push([`type:${run_type}`]);
  if (has_error) said.push(['status:error']);
  for (const values of said) conditions.push(hasSaid(r, bind(values)));
  if (from !== undefined) conditions.push(`${r}.pack_last >= ${bind(from)}::timestamptz`);
  if (until !== undefined) conditions.push(`${r}.pack_first < ${bind(until)}::timestamptz`);
  return conditions;
}
