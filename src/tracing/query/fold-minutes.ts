import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { histogramSql, hourHistogramSql, hourSql, minuteSql } from './minute-sql.ts';

const LOCK = 'tracing.fold_minutes';
const MARKS_AT_ONCE = 2_000;
const MINUTES_AT_ONCE = 500;

interface Marked {
  tenant_id: string;
  project_id: string;
  ids: number[];
  minutes: string[];
}

/**
 * Recounts all minutes marked dirty before the call, including those other processes are counting. Idempotent.
 * Returns the number of minutes counted by this call.
 */
export async function foldMinutes(db: Database): Promise<{ minutes: number }> {
  let minutes = 0;
  for (;;) {
    const count = await inTransaction(db, foldSome);
    if (count === 0) return { minutes };
    minutes += count;
  }
}

const COUNTED = ['run_minute', 'run_minute_histogram', 'run_hour', 'run_hour_histogram'];

/** Deletes the counts of a week. Call it in the transaction that deletes the week's runs. */
export async function forgetWeek(tx: Queryable, until: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [LOCK]);
  for (const table of COUNTED)
    await tx.query(
      `delete from tracing.${table} where minute >= $1::timestamptz - interval '7 days' and minute < $1`,
      [until],
    );
}

/** Removes only marks covered by this count; later ones wait for the next one. */
async function foldSome(tx: Queryable): Promise<number> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1))', [LOCK]);
  const { rows } = await tx.query<Marked>(
    `select tenant_id, project_id, array_agg(distinct id) as ids, array_agg(distinct minute::text) as minutes
     from (select * from tracing.run_minute_mark order by id limit ${MARKS_AT_ONCE}) as mark, unnest(minutes) as minute
     group by tenant_id, project_id`,
  );
  for (const mark of rows) await foldProject(tx, mark);
  return rows.reduce((sum, { minutes }) => sum + minutes.length, 0);
}

async function foldProject(tx: Queryable, { tenant_id, project_id, ids, minutes }: Marked): Promise<void> {
  await tx.query('delete from tracing.run_minute_mark where id = any($1::bigint[])', [ids]);
  const sorted = [...minutes].sort();
  for (let at = 0; at < sorted.length; at += MINUTES_AT_ONCE) {
    const values = [tenant_id, project_id, sorted.slice(at, at + MINUTES_AT_ONCE)];
    await replace(tx, 'run_minute', minuteSql(OF_MINUTES), values);
    await replace(tx, 'run_minute_histogram', histogramSql(OF_MINUTES), values);
  }
  const hours = [...new Set(sorted.map((minute) => `${minute.slice(0, 13)}:00:00+00`))];
  await replace(tx, 'run_hour', hourSql(OF_HOURS), [tenant_id, project_id, hours]);
  await replace(tx, 'run_hour_histogram', hourHistogramSql(OF_HOURS), [tenant_id, project_id, hours]);
}

async function replace(tx: Queryable, table: string, sql: string, values: unknown[]): Promise<void> {
  await tx.query(
    `delete from tracing.${table} where tenant_id = $1 and project_id = $2 and minute = any($3::timestamptz[])`,
    values,
  );
  await tx.query(`insert into tracing.${table} ${sql}`, values);
}

const OF_HOURS = `tenant_id = $1 and project_id = $2 and date_trunc('hour', minute) = any($3::timestamptz[])
  and minute >= (select min(h) from unnest($3::timestamptz[]) as h)
  and minute < (select max(h) from unnest($3::timestamptz[]) as h) + interval '1 hour'`;

// Ranges allow partition pruning.
const OF_MINUTES = `r.tenant_id = $1 and r.project_id = $2
  and r.start_time >= (select min(m) from unnest($3::timestamptz[]) as m)
  and r.start_time < (select max(m) from unnest($3::timestamptz[]) as m) + interval '1 minute'
  and date_trunc('minute', r.start_time) = any($3::timestamptz[])`;
