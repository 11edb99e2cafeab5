import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/db/database.ts';
import type { Notifications, Subscription } from '../../platform/db/notifications.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';
import { findDeploymentRoute, findRevisionRoute, type GatewayRoute } from './route-repository.ts';

// Notified by triggers in the control plane's migrations.
const CHANNEL = 'slipway_routes';
// Not `max`, which allocates memory up front.
const BOUND = { maxSize: 50_000, sizeCalculation: () => 1 };
// Maximum age of a route while the notification connection is down.
const FRESH_MS = 5_000;

const KINDS = ['deployment', 'revision'] as const;
type Kind = (typeof KINDS)[number];

/** Caches routes in memory until Postgres notifies a change. */
export class RoutingTable {
  readonly #db: Database;
  readonly #box: SealedBox;
  // Promises, so that an answer requested before a change never outlives it.
  readonly #routes = new LRUCache<string, Promise<GatewayRoute | undefined>>({
    ...BOUND,
    ttl: FRESH_MS,
  });
  readonly #known = new LRUCache<string, GatewayRoute>(BOUND);
  readonly #subscription: Subscription;
  /** Makes buckets of threads unpredictable; the same for every gateway of a platform. */
  readonly salt: Buffer;

  constructor(db: Database, notifications: Notifications, box: SealedBox) {
    this.#db = db;
    this.#box = box;
    this.salt = box.mac('buckets of threads');
    this.#subscription = notifications.subscribe(CHANNEL, {
      onPayload: (id) => this.forget(id),
      onReset: () => this.#routes.clear(),
    });
  }

  /** Settles once notifications arrive. */
  get ready(): Promise<void> {
    return this.#subscription.ready;
  }

  /** Undefined if it doesn't exist. Keeps known routes during database outages. */
  find(kind: Kind, id: string): Promise<GatewayRoute | undefined> {
    // Deployment and revision ids are both UUIDs, so the kind is part of the key.
    const key = `${kind}/${id}`;
    const kept = this.#routes.get(key);
    if (kept) return kept;
    const asked = this.#load(kind, id, key);
    this.#routes.set(key, asked);
    return asked;
  }

  /** Notifications don't say whether the id is a deployment or a revision. */
  forget(id: string): void {
    for (const kind of KINDS) this.#routes.delete(`${kind}/${id}`);
  }

  close(): void {
    this.#subscription.close();
  }

  async #load(kind: Kind, id: string, key: string): Promise<GatewayRoute | undefined> {
    try {
      const find = kind === 'deployment' ? findDeploymentRoute : findRevisionRoute;
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
