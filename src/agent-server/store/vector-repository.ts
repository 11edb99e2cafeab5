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

/** Comes after the write of the items in one transaction: a vector belongs to what was written there. */
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

// Shortlisted for each item of the page, however large the vectors are.
const LEAST_PER_ITEM = 20;

/**
 * Items by the similarity of their best text, then those without vectors by their latest change. Where there are
 * more vectors than are worth comparing in full, those whose signs agree most with the query's are shortlisted.
 */
export function similarItems(math: VectorMath, search: VectorSearch): Statement {
  const { selection, model, limit, offset } = search;
  const query = unitVector(search.query);
  const where = new Where();
  const candidates = `select item_id, updated_at from store_item ${selected(selection, where)}`;
  const shortlist = Math.max(Math.floor(math.budget / query.length), LEAST_PER_ITEM * (limit + offset));
  const vector = `${where.bind(realArray(query))}::real[]`;
  const text = `with candidate as materialized (${candidates}),
    shortlist as materialized (
      select v.item_id, v.embedding from candidate
      join store_vector v on v.item_id = candidate.item_id and v.embedded_at = candidate.updated_at
      where v.model = ${where.bind(model)}
      order by bit_count(v.signs # ${where.bind(signBits(query))}::bit varying) limit ${where.bind(shortlist)}),
    scored as (
      select item_id, least(1, greatest(-1, max(${math.similarity('embedding', vector)}))) as score
      from shortlist group by item_id),
    page as (
      select item_id, score from candidate left join scored using (item_id)
      order by score desc nulls last, updated_at desc, item_id desc
      limit ${where.bind(limit)} offset ${where.bind(offset)})
    select ${COLUMNS}, score from page join store_item using (item_id)
    order by score desc nulls last, updated_at desc, item_id desc`;
  return { text, values: where.values };
}
