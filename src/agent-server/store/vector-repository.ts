import type { Statement } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { COLUMNS, columnsOf, type ItemSelection, selected, type StoredName } from './store-repository.ts';
import { realArray, signBits, unitVector, type VectorMath } from './vector-math.ts';

export interface ItemVectors {
  name: StoredName;
  vectors: readonly (readonly number[])[];
}

export const vectorsDelete = (names: readonly StoredName[]): Statement => ({
  text: `delete from store_vector where item_id in (select item_id from store_item
    where (namespace, key) in (select * from unnest($1::text[], $2::text[])))`,
  values: columnsOf(names),
});

/** Runs after the item write in the same transaction: a vector belongs to the version written there. */
export function vectorsInsert(items: readonly ItemVectors[], model: string): Statement {
  const rows = items.flatMap(({ name, vectors }) =>
    vectors.map((vector, position) => ({ name, position, unit: unitVector(vector) })),
  );
  const [namespaces, keys] = columnsOf(rows.map(({ name }) => name));
  return {
    text: `insert into store_vector (item_id, position, model, embedded_at, signs, embedding)
      select item_id, position, $6, updated_at, signs::bit varying, embedding::real[]
      from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[])
        given (namespace, key, position, signs, embedding)
      join store_item using (namespace, key)`,
    values: [
      namespaces,
      keys,
      rows.map(({ position }) => position),
      rows.map(({ unit }) => signBits(unit)),
      rows.map(({ unit }) => realArray(unit)),
      model,
    ],
  };
}

export interface VectorSearch {
  selection: ItemSelection;
  query: readonly number[];
  /** Model of the query's vector. */
  model: string;
  limit: number;
  offset: number;
}

// Minimum number of candidates per item of a page, however large the vectors are.
const LEAST_PER_ITEM = 20;

/**
 * Sorts items by the similarity of their best text, then those without vectors by last update. If there are too many
 * vectors to compare in full, compares only the items whose signs best match the query's.
 */
export function similarItems(math: VectorMath, search: VectorSearch): Statement {
  const { selection, limit, offset } = search;
  const query = unitVector(search.query);
  const budget = Math.floor(math.budget / query.length);
  const needed = limit + offset;
  const where = new Where();
  const candidates = `select item_id, updated_at from store_item ${selected(selection, where)}`;
  const vector = `${where.bind(realArray(query))}::real[]`;
  const model = where.bind(search.model);
  const current = (item: string) =>
    `v.item_id = ${item}.item_id and v.embedded_at = ${item}.updated_at and v.model = ${model}`;
  const distance = `bit_count(v.signs # ${where.bind(signBits(query))}::bit varying)`;
  const nearestFirst = 'distance nulls last, updated_at desc, item_id desc';
  // Materialized because the planner can't estimate how many vectors are current, and guesses low.
  const text = `with candidate as materialized (${candidates}),
    nearest as materialized (
      select c.item_id, c.updated_at, count(v.item_id) as vectors, min(${distance}) as distance
      from candidate c left join store_vector v on ${current('c')} group by c.item_id, c.updated_at
      order by ${nearestFirst} limit ${where.bind(Math.max(budget, LEAST_PER_ITEM * needed))}),
    shortlist as (
      select *, row_number() over nearer as place, sum(vectors) over nearer - vectors as before
      from nearest window nearer as (order by ${nearestFirst})),
    page as materialized (
      select item_id, (select max(least(1, greatest(-1, ${math.similarity('v.embedding', vector)})))
        from store_vector v where ${current('shortlist')}) as score
      from shortlist where before < ${where.bind(budget)} or place <= ${where.bind(needed)}
      order by score desc nulls last, updated_at desc, item_id desc
      limit ${where.bind(limit)} offset ${where.bind(offset)})
    select ${COLUMNS}, score from page join store_item using (item_id)
    order by score desc nulls last, updated_at desc, item_id desc`;
  return { text, values: where.values };
}
