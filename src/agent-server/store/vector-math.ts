import type { Logger } from 'pino';
import { type Database, type Queryable, sqlState } from '../../platform/db/database.ts';

/** How Postgres compares embeddings. Both ways give the cosine similarity of unit vectors; they differ in speed. */
export interface VectorMath {
  name: 'pgvector' | 'sql';
  /** SQL for the similarity of two `real[]` of the same length. */
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

/** pgvector where the database has it or may install it, plain SQL everywhere else. */
export async function chooseVectorMath(db: Database, log: Logger): Promise<VectorMath> {
  const { rows } = await db.query(`select from pg_available_extensions where name = 'vector'`);
  if (rows.length === 0) return SQL_MATH;
  try {
    await db.query('create extension if not exists vector');
  } catch (error) {
    // Another process that starts now may be faster; a role may not be allowed to.
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

/** Length one; all zeros stay so, and are similar to nothing. */
export function unitVector(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0));
  return length === 0 ? [...vector] : vector.map((component) => component / length);
}

/** Text of a `real[]`. */
export const realArray = (vector: readonly number[]): string => `{${vector.join(',')}}`;

/**
 * Text of a bit string that says of each component whether it is below the mean of all. Around the mean, because
 * some models have no component below zero.
 */
export function signBits(vector: readonly number[]): string {
  const mean = vector.reduce((sum, component) => sum + component, 0) / vector.length;
  return vector.map((component) => (component < mean ? '0' : '1')).join('');
}
