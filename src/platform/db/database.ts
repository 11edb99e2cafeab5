import type { Writable } from 'node:stream';
import pg from 'pg';
import { type Cipher, sealValues } from './sealing.ts';

/** A named statement for hot paths. Postgres parses and plans it once per connection. */
export interface Prepared {
  name: string;
  text: string;
}

/** A pool or a transaction. */
export interface Queryable {
  query<Row extends object = Record<string, unknown>>(
    text: string | Prepared,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

export type Database = pg.Pool;

const { builtins } = pg.types;

/** Formats a timestamp as ISO 8601 with microseconds and offset (contract §1.2). Sessions run in UTC. */
export function wireTimestamp(text: string): string {
  const [, date, time, fraction = ''] = /^(\S+) ([\d:]+)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  return date ? `${date}T${time}.${fraction.padEnd(6, '0')}+00:00` : text;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === builtins.TIMESTAMPTZ) return wireTimestamp;
    if (oid === builtins.INT8) return Number;
    return pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};

export interface DatabaseOptions {
  url: string;
  /** Maximum connections of this process. */
  poolSize?: number;
  /** Timeout of a single statement in milliseconds. */
  statementTimeoutMs?: number;
  /** Role to assume instead of the connecting user. */
  role?: string;
  /** Encrypts and decrypts sealed parameters. */
  cipher?: Cipher | undefined;
  onError?(error: Error): void;
}

/** Settings shared by all connections, including the listening one. */
export function connectionConfig({
  url,
  statementTimeoutMs = 900_000,
  role,
}: DatabaseOptions): pg.ClientConfig {
  return {
    connectionString: url,
    types,
    application_name: 'slipway',
    options: `-c timezone=UTC -c statement_timeout=${statementTimeoutMs}${role ? ` -c role=${role}` : ''}`,
    keepAlive: true,
    pipeline: true,
    connectionTimeoutMillis: 10_000,
  };
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connectionConfig(options),
    max: options.poolSize ?? 20,
    idleTimeoutMillis: 60_000,
  });
  // Without a listener, losing an idle connection would end the process.
  pool.on('error', (error) => options.onError?.(error));
  // So would losing one between two statements of a transaction; the next statement reports it.
  pool.on('connect', (client) => client.on('error', () => {}));
  if (options.cipher) useCipher(pool, options.cipher);
  return pool;
}

const ciphers = new WeakMap<Database, Cipher>();

function useCipher(pool: Database, cipher: Cipher): void {
  ciphers.set(pool, cipher);
  const { query } = sealing({ query: pool.query.bind(pool) }, cipher);
  pool.query = query as typeof pool.query;
}

export const isEncrypted = (db: Database): boolean => ciphers.has(db);

/** Wraps a connection with the cipher. */
const sealing = ({ query }: Queryable, cipher: Cipher): Queryable => ({
  async query<Row extends object>(text: string | Prepared, values?: unknown[]) {
    const result = await query<Row>(text, await sealValues(cipher, values));
    await cipher.open(result.rows);
    return result;
  },
});

/** Runs `work` in a transaction on one connection and rolls back if it throws. */
export async function inTransaction<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await db.connect();
  const cipher = ciphers.get(db);
  const tx = cipher ? sealing({ query: client.query.bind(client) }, cipher) : client;
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(tx);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((lost: Error) => (broken = lost));
    throw error;
  } finally {
    client.release(broken);
  }
}

export interface Statement {
  /** For hot paths; see Prepared. */
  name?: string;
  text: string;
  values?: unknown[];
}

/**
 * Runs a transaction in one round trip. Each statement sees the effects and locks of those before it. Returns the
 * rows of each; the first failure rolls back and is thrown.
 */
export async function inPipeline<Rows extends object[][]>(
  db: Database,
  statements: Statement[],
): Promise<Rows> {
  const cipher = ciphers.get(db);
  if (!cipher) return sendPipeline<Rows>(db, statements);
  // Seals before sending, because a failure must not leave a statement out of the transaction.
  const sealed = statements.map(async (statement) => ({
    ...statement,
    values: await sealValues(cipher, statement.values),
  }));
  const rows = await sendPipeline<Rows>(db, await Promise.all(sealed));
  await cipher.open(rows.flat());
  return rows;
}

async function sendPipeline<Rows extends object[][]>(db: Database, statements: Statement[]): Promise<Rows> {
  const client = await db.connect();
  let broken: Error | undefined;
  try {
    const sent = inOneWrite(client, () => [
      client.query('begin'),
      ...statements.map((statement) => client.query(statement)),
      client.query('commit'),
    ]);
    const settled = await Promise.allSettled(sent);
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    const results = settled.map((result) => (result as PromiseFulfilledResult<pg.QueryResult>).value.rows);
    return results.slice(1, -1) as Rows;
  } catch (error) {
    if (!sqlState(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Sends the client's queries with one system call rather than one each. */
function inOneWrite<Sent>(client: pg.PoolClient, send: () => Sent): Sent {
  // The types of `pg` don't show the connection.
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** SQLSTATE of a Postgres error, or undefined. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * Whether a retry may succeed, because the connection or server failed rather than the statement. Classes 08
 * (connection), 53 (resources), 57P (shutdown, crash), 40 (serialization, deadlock).
 */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return /^(08|53|57P|40)/.test(state);
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENOTFOUND)$/.test(code ?? '') ||
    /Connection terminated|timeout exceeded when trying to connect|not queryable/.test(message ?? '')
  );
}

/** Whether Postgres rolled back because of a concurrent transaction (deadlock, serialization failure). */
export const isRolledBack = (error: unknown): boolean => sqlState(error)?.startsWith('40') ?? false;

/**
 * Whether the database is unreachable or refuses work. Excludes other errors that also have a code, such as a missing
 * file.
 */
export const isDatabaseAway = (error: unknown): boolean =>
  isTransient(error) &&
  !isRolledBack(error) &&
  !['ENOENT', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Throws when the database cannot be reached. */
export async function ping(db: Queryable): Promise<void> {
  await db.query('select 1');
}
