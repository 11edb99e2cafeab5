import type { Queryable } from '../../platform/db/database.ts';

/** A model price as clients read it (contract §1.13). Costs are dollars per token as decimal text. */
export interface ModelPrice {
  id: string;
  name: string;
  /** Applies to runs starting at or after this time; null applies always. */
  start_time: string | null;
  /** Keys whose value is matched. */
  match_path: string[];
  /** Regular expression (RE2) to search for in the model name. */
  match_pattern: string;
  provider: string | null;
  prompt_cost: string;
  completion_cost: string;
  prompt_cost_details: Record<string, string> | null;
  completion_cost_details: Record<string, string> | null;
  created_at: string;
  updated_at: string;
}

export type PriceInput = Omit<ModelPrice, 'id' | 'created_at' | 'updated_at'>;

const COLUMNS = `id, name, start_time, match_path, match_pattern, provider, trim_scale(prompt_cost)::text as prompt_cost,
  trim_scale(completion_cost)::text as completion_cost, prompt_cost_details, completion_cost_details,
  created_at, updated_at`;

/** A tenant's prices in order of precedence. */
export async function listPrices(db: Queryable, tenantId: string): Promise<ModelPrice[]> {
  const { rows } = await db.query<ModelPrice>(
    `select ${COLUMNS} from tracing.model_price where tenant_id = $1
     order by provider is null, start_time desc nulls last, created_at desc, id`,
    [tenantId],
  );
  return rows;
}

const valuesOf = (price: PriceInput): unknown[] => [
  price.name,
  price.start_time,
  price.match_path,
  price.match_pattern,
  price.provider,
  price.prompt_cost,
  price.completion_cost,
  price.prompt_cost_details,
  price.completion_cost_details,
];

/** Undefined if the tenant already has `most` rows. */
export async function insertPrice(
  db: Queryable,
  tenantId: string,
  id: string,
  price: PriceInput,
  most: number,
): Promise<ModelPrice | undefined> {
  const { rows } = await db.query<ModelPrice>(
    `insert into tracing.model_price (tenant_id, id, name, start_time, match_path, match_pattern, provider,
       prompt_cost, completion_cost, prompt_cost_details, completion_cost_details)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
     where (select count(*) from tracing.model_price where tenant_id = $1) < $12
     returning ${COLUMNS}`,
    [tenantId, id, ...valuesOf(price), most],
  );
  return rows[0];
}

/** Undefined if it does not exist. */
export async function replacePrice(
  db: Queryable,
  tenantId: string,
  id: string,
  price: PriceInput,
): Promise<ModelPrice | undefined> {
  const { rows } = await db.query<ModelPrice>(
    `update tracing.model_price set name = $3, start_time = $4, match_path = $5, match_pattern = $6, provider = $7,
       prompt_cost = $8, completion_cost = $9, prompt_cost_details = $10, completion_cost_details = $11,
       updated_at = clock_timestamp()
     where tenant_id = $1 and id = $2 returning ${COLUMNS}`,
    [tenantId, id, ...valuesOf(price)],
  );
  return rows[0];
}

export async function deletePrice(db: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from tracing.model_price where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rowCount === 1;
}
