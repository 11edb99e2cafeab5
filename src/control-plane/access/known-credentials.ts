import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Database, isDatabaseAway } from '../../platform/db/database.ts';
import { findApiKey } from './api-key-repository.ts';
import type { CredentialLookup } from './authenticate.ts';
import { findSession } from './session-repository.ts';

// Upper bound for how long a revoked key or ended session stays valid.
const FRESH_MS = 3_000;
// Longer, because callers of a project's own authentication send credentials that are never ours.
const UNKNOWN_MS = 30_000;
// Without Postgres nothing can be revoked either, so known credentials stay valid.
const OUTAGE_MS = 600_000;
const MOST = 20_000;

/** Caches keys and sessions for a few seconds instead of querying Postgres per request. */
export class KnownCredentials implements CredentialLookup {
  readonly #keys;
  readonly #sessions;

  constructor(db: Database) {
    this.#keys = new Known((key) => findApiKey(db, key));
    this.#sessions = new Known((secret) => findSession(db, secret));
  }

  key = (key: string) => this.#keys.find(key);
  session = (secret: string) => this.#sessions.find(secret);
}

class Known<Value extends object> {
  readonly #load: (secret: string) => Promise<Value | undefined>;
  // Keyed by digest, so that lookups leak no timing about similar credentials.
  readonly #asked = new LRUCache<string, Promise<Value | undefined>>({
    maxSize: MOST,
    sizeCalculation: () => 1,
    ttl: FRESH_MS,
  });
  readonly #good = new LRUCache<string, Value>({ maxSize: MOST, sizeCalculation: () => 1, ttl: OUTAGE_MS });

  constructor(load: (secret: string) => Promise<Value | undefined>) {
    this.#load = load;
  }

  find(secret: string): Promise<Value | undefined> {
    const digest = createHash('sha256').update(secret).digest('base64');
    const kept = this.#asked.get(digest);
    if (kept) return kept;
    const asked = this.#ask(secret, digest);
    this.#asked.set(digest, asked);
    return asked;
  }

  async #ask(secret: string, digest: string): Promise<Value | undefined> {
    try {
      const found = await this.#load(secret);
      if (found) this.#good.set(digest, found);
      else {
        this.#good.delete(digest);
        this.#asked.set(digest, Promise.resolve(undefined), { ttl: UNKNOWN_MS });
      }
      return found;
    } catch (error) {
      this.#asked.delete(digest);
      const good = isDatabaseAway(error) ? this.#good.get(digest) : undefined;
      if (!good) throw error;
      return good;
    }
  }
}
