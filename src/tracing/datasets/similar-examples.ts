import { type QueryDeps } from '../query/find-runs.ts';
import { readBounded } from '../query/read-bounded.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { unmarkNumbers } from '../json/lossless-numbers.ts';
import { storableJson } from '../json/storable-json.ts';
import type { ExampleRow } from './example.ts';
import { findExamples } from './example-repository.ts';
import { clauseOf, type ExampleSearch } from './example-search.ts';

const MAX_CHARACTERS = 100_000;

/** The distinct lower-case words of all texts and numbers in a JSON value, given as SQL. */
const wordsOf = (
  sql: string,
): string => `tsvector_to_array(to_tsvector('simple', coalesce((select left(string_agg(v #>> '{}', ' '), ${MAX_CHARACTERS})
  from jsonb_path_query(${sql}::jsonb, 'strict $.**') as v where jsonb_typeof(v) in ('string', 'number')), '')))`;

/**
 * Examples whose inputs share words with these, most similar first. Rare words and short examples weigh more. Throws
 * TookTooLong, InvalidFilter.
 */
export async function similarExamples(
  { db, config }: QueryDeps,
  tenantId: string,
  search: ExampleSearch,
  { inputs, limit }: { inputs: JsonObject; limit: number },
): Promise<ExampleRow[]> {
  const { clause, where } = clauseOf(tenantId, search);
  const rows = await readBounded<{ id: string }>(db, config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: `with doc as materialized (select e.id, ${wordsOf('e.inputs')} as words from tracing.example e ${clause}),
      hit as materialized (
        select d.id, cardinality(d.words) as size, u.word from doc d cross join unnest(d.words) as u (word)
        where u.word in (select unnest(${wordsOf(where.bind(unmarkNumbers(storableJson(inputs))))}))),
      weight as (select word, ln(1 + (select count(*) from doc)::float8 / count(*)) as weight from hit group by word)
      select h.id from hit h join weight w using (word) group by h.id, h.size
      order by sum(w.weight) / sqrt(h.size) desc, h.id limit ${where.bind(limit)}`,
    values: where.values,
  });
  const ids = rows.map(({ id }) => id);
  const found = await findExamples(db, tenantId, ids, search.as_of);
  const byId = new Map(found.map((example) => [example.id, example]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
