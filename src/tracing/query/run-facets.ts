import { Where } from '../../platform/db/where.ts';
import type { QueryDeps } from './find-runs.ts';
import { readBounded } from './read-bounded.ts';
import type { RunQuery } from './run-query.ts';
import { conditionsOf } from './run-query-sql.ts';

/** A frequent value, its count, and a filter for it. */
export interface RunFacet {
  key: string;
  value: string;
  query: string;
  n: number;
}

const MAX_VALUES = 10;

/** The most frequent names, types, statuses and tags among the newest runs of a query. */
export async function readFacets(deps: QueryDeps, query: RunQuery, most: number): Promise<RunFacet[]> {
  const where = new Where();
  const conditions = conditionsOf(query, where);
  const text = `with matched as (
      select r.name, r.run_type, r.status, r.tags from tracing.run r where ${conditions.join(' and ')}
      order by r.start_time desc limit ${where.bind(most)}::int),
    facet as (
      select key, value, count(*) as n, row_number() over (partition by key order by count(*) desc, value) as place
      from matched cross join lateral (
        values ('name', name), ('run_type', run_type), ('status', status)
        union all select distinct 'tag', unnest(tags)) as facet (key, value)
      where value is not null group by key, value)
    select key, value, n from facet where place <= ${MAX_VALUES} order by key, place`;
  const rows = await readBounded<Omit<RunFacet, 'query'>>(deps.db, deps.config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text,
    values: where.values,
  });
  return rows.map((facet) => ({
    ...facet,
    query:
      facet.key === 'tag'
        ? `has(tags, ${JSON.stringify(facet.value)})`
        : `eq(${facet.key}, ${JSON.stringify(facet.value)})`,
  }));
}
