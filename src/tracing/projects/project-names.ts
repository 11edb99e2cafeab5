import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';

const MAX_NAMES = 10_000;
const FRESH_MS = 60_000;

/** Resolves project names to ids, creating projects on first use (contract §1.12). */
export class ProjectNames {
  readonly #db: Database;
  readonly #ids = new LRUCache<string, string>({ max: MAX_NAMES, ttl: FRESH_MS });

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the id of each name. */
  async resolve(tenantId: string, names: Iterable<string>): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const unknown: string[] = [];
    for (const name of new Set(names)) {
      const id = this.#ids.get(`${tenantId}/${name}`);
      if (id) found.set(name, id);
      else unknown.push(name);
    }
    for (const { name, id } of unknown.length > 0 ? await this.#make(tenantId, unknown) : []) {
      this.#ids.set(`${tenantId}/${name}`, id);
      found.set(name, id);
    }
    return found;
  }

  /** Call this when a project was renamed or removed. */
  forget(tenantId: string, name: string): void {
    this.#ids.delete(`${tenantId}/${name}`);
  }

  async #make(tenantId: string, names: string[]): Promise<{ name: string; id: string }[]> {
    const sorted = [...names].sort();
    await this.#db.query(
      `insert into tracing.project (id, tenant_id, name) select n.id, $1, n.name
       from unnest($2::uuid[], $3::text[]) as n (id, name) on conflict (tenant_id, name_hash) do nothing`,
      [tenantId, sorted.map(uuid7), sorted],
    );
    const { rows } = await this.#db.query<{ name: string; id: string }>(
      `select name, id from tracing.project
       where tenant_id = $1 and name_hash = any(array(select md5(n)::uuid from unnest($2::text[]) as n))`,
      [tenantId, names],
    );
    return rows;
  }
}
