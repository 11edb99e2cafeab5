import { setTimeout } from 'node:timers/promises';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';

// Tables that only accepted requests change, never a run in progress. Runs that end may disappear, but none may appear.
const RECORDS = `select
  (select count(*) from thread) as threads,
  (select count(*) from run) as runs,
  (select count(*) from store_item) as items,
  (select md5(coalesce(string_agg(cron_id::text || revision, '' order by cron_id), '')) from cron) as crons,
  (select md5(coalesce(string_agg(a::text, '' order by assistant_id), '')) from assistant a) as assistants,
  (select md5(coalesce(string_agg(v::text, '' order by assistant_id, version), '')) from assistant_version v) as versions,
  (select md5(coalesce(string_agg(thread_id::text || (metadata - 'graph_id' - 'assistant_id')::text || ttl_minutes::text, ''
    order by thread_id), '')) from thread where not hidden) as metadata`;

const INVARIANTS: Record<string, string> = {
  'a run that is due waits or runs for ever': `select run_id, status from run
    where status in ('pending', 'running') and due_at < now()`,
  'a thread is busy without a run': `select thread_id from thread t where status = 'busy'
    and not exists (select from run r where r.thread_id = t.thread_id and r.status in ('pending', 'running'))`,
  'a thread with a run in flight is not busy': `select thread_id, status from thread t where status <> 'busy'
    and exists (select from run r where r.thread_id = t.thread_id and r.status in ('pending', 'running'))`,
  'a checkpoint has no thread': `select thread_id from checkpoint c where not exists (select from thread t where t.thread_id = c.thread_id)`,
  'a checkpoint value has no checkpoint': `select thread_id, channel from checkpoint_value v where not exists (
    select from checkpoint c where c.thread_id = v.thread_id and c.checkpoint_ns = v.checkpoint_ns)`,
  'an event has no thread': `select thread_id from run_event e where not exists (select from thread t where t.thread_id = e.thread_id)`,
  'an ended run has no end': `select run_id from run where status not in ('pending', 'running') and ended_at is null`,
  'an assistant is at a version it does not have': `select assistant_id from assistant a where not exists (
    select from assistant_version v where v.assistant_id = a.assistant_id and v.version = a.version)`,
};

export type Records = Record<string, unknown>;

/** Reads rows directly from the database. */
export interface Guard {
  records(): Promise<Records>;
  /** Changes made by a request that was refused or only reads. */
  changes(before: Records, after: Records): string[];
}

/** The guard of an agent server. */
export class DatabaseGuard implements Guard {
  readonly #db: Database;

  constructor(url: string) {
    this.#db = openDatabase({ url, poolSize: 1 });
  }

  async records(): Promise<Records> {
    const { rows } = await this.#db.query<Records>(RECORDS);
    return rows[0]!;
  }

  changes(before: Records, after: Records): string[] {
    return Object.keys(before).filter((name) =>
      name === 'threads' || name === 'runs' || name === 'items'
        ? Number(after[name]) > Number(before[name])
        : after[name] !== before[name],
    );
  }

  /** Waits for work in progress to end; returns the problems that remain. */
  async broken(withinMs: number): Promise<string[]> {
    for (const end = Date.now() + withinMs; ; await setTimeout(200)) {
      const broken = await this.#brokenNow();
      if (broken.length === 0 || Date.now() > end) return broken;
    }
  }

  async close(): Promise<void> {
    await this.#db.end();
  }

  async #brokenNow(): Promise<string[]> {
    const broken: string[] = [];
    for (const [name, sql] of Object.entries(INVARIANTS)) {
      const { rows } = await this.#db.query(sql);
      if (rows.length > 0) broken.push(`${name} (${rows.length}): ${JSON.stringify(rows[0])}`);
    }
    return broken;
  }
}
