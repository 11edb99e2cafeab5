import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/db/database.ts';
import type { Notifications, Subscription } from '../../platform/db/notifications.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';
import { findDeploymentRoute, findRevisionRoute, type GatewayRoute } from './route-repository.ts';

// Told of by triggers of the control plane's migrations.
const CHANNEL = 'slipway_routes';
// Not as `max`, for which memory is taken ahead.
const BOUND = { maxSize: 50_000, sizeCalculation: () => 1 };
// While the listening connection is lost nothing is heard: then a route is this old at most.
const FRESH_MS = 5_000;

type Place = 'deployment' | 'revision';

/** Who answers where, kept in memory for as long as Postgres says nothing else. */
export class RoutingTable {
  readonly #db: Database;
  readonly #box: SealedBox;
  // Promises, so that an answer asked for before a change is never kept after it.
  readonly #routes = new LRUCache<string, Promise<GatewayRoute | undefined>>({
    ...BOUND,
    ttl: FRESH_MS,
  });
  readonly #known = new LRUCache<string, GatewayRoute>(BOUND);
  readonly #subscription: Subscription;

  constructor(db: Database, notifications: Notifications, box: SealedBox) {
    this.#db = db;
    this.#box = box;
    this.#subscription = notifications.subscribe(CHANNEL, {
      onPayload: (id) => this.forget(id),
      onReset: () => this.#routes.clear(),
    });
  }

  /** Settles when every later change is heard of. */
  get ready(): Promise<void> {
    return this.#subscription.ready;
  }

  /** Undefined for what does not exist. A database that is away changes no route. */
  find(place: Place, id: string): Promise<GatewayRoute | undefined> {
    const kept = this.#routes.get(id);
    if (kept) return kept;
    const asked = this.#load(place, id);
    this.#routes.set(id, asked);
    return asked;
  }

  forget(id: string): void {
    this.#routes.delete(id);
  }

  close(): void {
    this.#subscription.close();
  }

  async #load(place: Place, id: string): Promise<GatewayRoute | undefined> {
    try {
      const find = place === 'deployment' ? findDeploymentRoute : findRevisionRoute;
      const route = await find(this.#db, this.#box, id);
      if (route) this.#known.set(id, route);
      else this.#known.delete(id);
      return route;
    } catch (error) {
      const known = this.#known.get(id);
      if (known) return known;
      this.#routes.delete(id);
      throw error;
    }
  }
}
