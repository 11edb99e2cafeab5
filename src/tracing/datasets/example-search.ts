import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { ExampleRow } from './example.ts';
import { fieldFilterSql } from '../query/filter/field-filter.ts';
import { EXAMPLE_FILTER } from './example-filter.ts';
import { asOfSql, EXAMPLE_ROW, readRow, type StoredExample } from './example-repository.ts';

export interface ExampleSearch {
  dataset?: string | undefined;
  id?: string[] | undefined;
  splits?: string[] | undefined;
  metadata?: JsonObject | undefined;
  full_text_contains?: string[] | undefined;
  filter?: string | undefined;
  /** Undefined means now. */
  as_of?: string | undefined;
  order?: 'recent' | 'random' | 'recently_created' | 'id' | undefined;
  random_seed?: number | undefined;
  descending?: boolean | undefined;
  /** Extra conditions on examples `e`. */
  having?: ((where: Where) => string[]) | undefined;
  /** Primary sort order. */
  sorted?: ((where: Where) => string) | undefined;
}

/** The SQL clause of a search and its parameters. */
export function clauseOf(tenantId: string, search: ExampleSearch): { clause: string; where: Where } {
  const where = new Where()
    .andEquals('e.tenant_id', tenantId)
    .andEquals('e.dataset_id', search.dataset)
    .andAny('e.id', search.id)
    .andContains('e.metadata', search.metadata);
  if (search.splits) where.and`e.metadata -> 'dataset_split' ?| ${search.splits}`;
  for (const text of search.full_text_contains ?? [])
    where.and`strpos(lower(e.inputs::text || ' ' || coalesce(e.outputs::text, '')), lower(${text})) > 0`;
  const time = search.as_of && where.bind(search.as_of);
  const filter = search.filter ? ` and ${fieldFilterSql(search.filter, EXAMPLE_FILTER, where)}` : '';
  const having = (search.having?.(where) ?? []).map((condition) => ` and ${condition}`).join('');
  return { clause: `${where.text} and ${asOfSql(time)}${filter}${having}`, where };
}

/** A page of examples. Pages of a given version are stable. */
export async function searchExamples(
  db: Queryable,
  tenantId: string,
  search: ExampleSearch,
  page: { limit: number; offset: number },
): Promise<ExampleRow[]> {
  const { clause, where } = clauseOf(tenantId, search);
  const direction = search.descending === false ? 'asc' : 'desc';
  // Postgres rejects bound parameters that the statement does not use.
  const order =
    search.order === 'random'
      ? `md5(e.id::text || ${where.bind(String(search.random_seed ?? 0))}::text)`
      : `${search.order === 'id' ? 'e.id' : 'e.created_at'} ${direction}`;
  const sorted = search.sorted ? `${search.sorted(where)}, ` : '';
  const { rows } = await db.query<StoredExample>(
    `select ${EXAMPLE_ROW} from tracing.example e ${clause}
     order by ${sorted}${order}, e.id limit ${where.bind(page.limit)} offset ${where.bind(page.offset)}`,
    where.values,
  );
  return rows.map(readRow);
}

export async function countExamples(db: Queryable, tenantId: string, search: ExampleSearch): Promise<number> {
  const { clause, where } = clauseOf(tenantId, search);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) from tracing.example e ${clause}`,
    where.values,
  );
  return rows[0]!.count;
}

/** Names of the splits, sorted. */
export async function listSplits(
  db: Queryable,
  tenantId: string,
  dataset: string,
  as_of: string | undefined,
): Promise<string[]> {
  const { clause, where } = clauseOf(tenantId, { dataset, as_of });
  const { rows } = await db.query<{ split: string }>(
    `select distinct s.split from tracing.example e
     cross join lateral jsonb_array_elements_text(e.metadata -> 'dataset_split') as s (split) ${clause} order by 1`,
    where.values,
  );
  return rows.map(({ split }) => split);
}
