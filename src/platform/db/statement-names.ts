import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

// Each connection keeps what it has parsed.
const MOST_NAMES = 12;
const MOST_COUNTED = 200;
const NAMED_AFTER = 3;

/**
 * Names for generated statements, so that Postgres parses frequent ones once per connection: parsing can cost more than
 * the rest. The first few texts that repeat get one.
 */
export class StatementNames {
  readonly #prefix: string;
  readonly #names = new Map<string, string>();
  readonly #counts = new LRUCache<string, number>({ max: MOST_COUNTED });

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Undefined if the text is rare, or all names are taken. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known || this.#names.size >= MOST_NAMES) return known;
    const count = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, count);
    if (count < NAMED_AFTER) return undefined;
    const name = `${this.#prefix}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    this.#names.set(text, name);
    return name;
  }
}
