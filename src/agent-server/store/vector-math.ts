import type { Logger } from 'pino';
import { type Database, type Queryable, sqlState } from '../../platform/db/database.ts';

/** How Postgres compares embeddings. Both variants give the cosine similarity of unit vectors but differ in speed. */
export interface VectorMath {
  name: 'pgvector' | 'sql';
  /** SQL for the similarity of two `real[]` of equal length. */
  similarity(embedding: string, query: string): string;
  /** Vector components one search may compare in full; about a tenth of a second of work. */
  budget: number;
}

export const SQL_MATH: VectorMath = {
  name: 'sql',
  similarity: (embedding, query) =>
    `(select sum(product) from (select unnest(${embedding})::float8 * unnest(${query}) as product) pair)`,
  budget: 1_000_000,
};

export const PGVECTOR_MATH: VectorMath = {
  name: 'pgvector',
  similarity: (embedding, query) => `-(${embedding}::vector <#> ${query}::vector)`,
  budget: 5_000_000,
};

/** Uses pgvector if the database has it or may install it, plain SQL otherwise. */
export async function chooseVectorMath(db: Database, log: Logger): Promise<VectorMath> {
  const { rows } = await db.query(`select from pg_available_extensions where name = 'vector'`);
  if (rows.length === 0) return SQL_MATH;
  try {
    await db.query('create extension if not exists vector');
  } catch (error) {
    // Another process may have installed it at the same moment, or the role may lack the privilege.
    if (!sqlState(error)) throw error;
    log.debug({ err: error }, 'pgvector was not installed');
  }
  if (await hasVectorType(db)) return PGVECTOR_MATH;
  log.info('the database offers pgvector, but it is not installed; the store compares embeddings in SQL');
  return SQL_MATH;
}

async function hasVectorType(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(`select to_regtype('vector') is not null as found`);
  return rows[0]!.found;
}

/** Scales a vector to length one; an all-zero vector stays zero and is similar to nothing. */
export function unitVector(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0));
  return length === 0 ? [...vector] : vector.map((component) => component / length);
}

/** Formats a `real[]`. */
export const realArray = (vector: readonly number[]): string => `{${vector.join(',')}}`;

/**
 * Formats a bit string that marks the components below the mean. Uses the mean rather than zero because some models
 * have no negative components.
 */
export function signBits(vector: readonly number[]): string {
  const mean = vector.reduce((sum, component) => sum + component, 0) / vector.length;
  return vector.map((component) => (component < mean ? '0' : '1')).join('');
}
