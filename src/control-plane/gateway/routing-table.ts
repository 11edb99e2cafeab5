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

const PLACES = ['deployment', 'revision'] as const;
type Place = (typeof PLACES)[number];

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
    // Both are uuids: one may be asked for where the other is meant.
    const key = `${place}/${id}`;
    const kept = this.#routes.get(key);
    if (kept) return kept;
    const asked = this.#load(place, id, key);
    this.#routes.set(key, asked);
    return asked;
  }

  /** Of what is told, nobody says whether it is a deployment or a revision. */
  forget(id: string): void {
    for (const place of PLACES) this.#routes.delete(`${place}/${id}`);
  }

  close(): void {
    this.#subscription.close();
  }

  async #load(place: Place, id: string, key: string): Promise<GatewayRoute | undefined> {
    try {
      const find = place === 'deployment' ? findDeploymentRoute : findRevisionRoute;
      const route = await find(this.#db, this.#box, id);
      if (route) this.#known.set(key, route);
      else this.#known.delete(key);
      return route;
    } catch (error) {
      const known = this.#known.get(key);
      if (known) return known;
      this.#routes.delete(key);
      throw error;
    }
  }
}
