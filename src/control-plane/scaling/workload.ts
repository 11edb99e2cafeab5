import pg from 'pg';
import { connectionConfig, sqlState } from '../../platform/db/database.ts';

/** Work recorded in a deployment's own database. */
export interface Workload {
  /** Runs that could start but haven't. */
  pending: number;
  /** Whether runs or webhook deliveries are in progress. */
  underway: boolean;
  /** When the next delayed run or cron is due; in the past if overdue. */
  next: Date | null;
}

const IDLE: Workload = { pending: 0, underway: false, next: null };
const LOOK_MS = 5_000;
const UNDEFINED_TABLE = '42P01';

/** Opens its own connection. An agent that never started has no tables, and is idle. */
export async function readWorkload(databaseUrl: string): Promise<Workload> {
  const client = new pg.Client(connectionConfig({ url: databaseUrl, statementTimeoutMs: LOOK_MS }));
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pending: number; underway: boolean; next: number | null }>(
      `select (select count(*) from run where status = 'pending' and due_at <= clock_timestamp()) as pending,
         exists (select from run where status = 'running')
           or exists (select from webhook_delivery where status = 'waiting') as underway,
         extract(epoch from least(
           (select min(due_at) from run where status = 'pending'),
           (select min(next_run_date) from cron where enabled)))::float8 as next`,
    );
    const { pending, underway, next } = rows[0]!;
    return { pending, underway, next: next === null ? null : new Date(next * 1000) };
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return IDLE;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}
