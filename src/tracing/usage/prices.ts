import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../platform/db/database.ts';
import { LibraryPrices } from './library-prices.ts';
import type { ModelOfRun } from './model-of-run.ts';
import { OwnPrices } from './own-prices.ts';
import type { Price } from './price.ts';
import { listPrices } from './price-repository.ts';

const TENANTS = 1_000;
const MODELS = 2_000;
// Processes notice price changes within this time.
const CACHE_MS = 10_000;

/** Prices per tenant: its own table, then the library. */
export class Prices {
  readonly #db: Queryable;
  readonly #tenants: LRUCache<string, Promise<TenantPrices>>;

  constructor(db: Queryable) {
    this.#db = db;
    this.#tenants = new LRUCache({ max: TENANTS, ttl: CACHE_MS });
  }

  /** Cached, so that runs do not query the database. */
  of(tenantId: string): Promise<TenantPrices> {
    const known = this.#tenants.get(tenantId);
    if (known) return known;
    const loading = Promise.all([listPrices(this.#db, tenantId), LibraryPrices.open()]).then(
      ([rows, library]) => new TenantPrices(new OwnPrices(rows), library),
    );
    this.#tenants.set(tenantId, loading);
    loading.catch(() => this.#tenants.delete(tenantId));
    return loading;
  }

  /** Invalidates the cached table of a tenant. */
  forget(tenantId: string): void {
    this.#tenants.delete(tenantId);
  }
}

export class TenantPrices {
  readonly #own: OwnPrices;
  readonly #library: LibraryPrices;
  // Caches lookups per model and period, because patterns are slow to match.
  readonly #matched = new LRUCache<string, { price: Price | undefined }>({ max: MODELS });

  constructor(own: OwnPrices, library: LibraryPrices) {
    this.#own = own;
    this.#library = library;
  }

  /** Undefined if unknown. `inputTokens` must be the whole call's, because some rates depend on it. */
  find(model: ModelOfRun, time: Date, inputTokens: number): Price | undefined {
    if (model.names.length === 0) return undefined;
    return this.#ownPrice(model, time) ?? this.#library.find(model, time, inputTokens);
  }

  #ownPrice(model: ModelOfRun, time: Date): Price | undefined {
    if (this.#own.isEmpty) return undefined;
    const since = this.#own.periodOf(time);
    const key = JSON.stringify([since, model.provider, model.names.map(({ key, name }) => [key, name])]);
    let known = this.#matched.get(key);
    if (!known) this.#matched.set(key, (known = { price: this.#own.find(model, time) }));
    return known.price;
  }
}
