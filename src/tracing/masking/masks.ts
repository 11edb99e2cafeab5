import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../platform/db/database.ts';
import { compileMasks, type Mask, type MaskRule } from './mask-rules.ts';
import { findMaskRules } from './mask-repository.ts';

const FRESH_MS = 10_000;
const MAX_TENANTS = 10_000;

/** The masks of each tenant, from the setting and its own rules, cached for a few seconds. */
export class Masks {
  readonly #db: Queryable;
  readonly #ofPlatform: Mask[];
  readonly #known = new LRUCache<string, Promise<Mask[]>>({ max: MAX_TENANTS, ttl: FRESH_MS });

  constructor(db: Queryable, ofPlatform: Mask[]) {
    this.#db = db;
    this.#ofPlatform = ofPlatform;
  }

  of(tenantId: string): Promise<Mask[]> {
    const known = this.#known.get(tenantId);
    if (known) return known;
    const loading = findMaskRules(this.#db, tenantId).then((rules: MaskRule[]) => [
      ...this.#ofPlatform,
      ...compileMasks(rules),
    ]);
    this.#known.set(tenantId, loading);
    // A failed lookup is retried rather than treated as no masks.
    loading.catch(() => this.#known.delete(tenantId));
    return loading;
  }

  forget(tenantId: string): void {
    this.#known.delete(tenantId);
  }
}
