import type { Handlers } from '../../src/graph-protocol/channel.ts';
import type { Exchange } from '../../src/graph-protocol/exchange.ts';

type Fields = Record<string, unknown>;

interface Value {
  type: string;
  value: string;
}
interface Row extends Fields {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  channel_versions: Record<string, number | string>;
  metadata: string;
}
interface Write extends Value {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  task_path?: string;
  idx: number;
  channel: string;
}
interface Unit {
  checkpoint?: Row;
  values: (Value & { thread_id: string; checkpoint_ns: string; channel: string; version: string })[];
  writes: Write[];
}
interface Item extends Fields {
  namespace: string[];
  key: string;
}

const keyOf = (...parts: unknown[]): string => JSON.stringify(parts);
const startsWith = (namespace: string[], prefix: string[]): boolean =>
  prefix.every((part, index) => namespace[index] === part);

/** The server side of the protocol, backed by maps; records a host's calls. */
export class MemoryServer {
  readonly rows = new Map<string, Row>();
  readonly calls: string[] = [];
  /** Error for the next `checkpoint.write`. */
  refuseWrites: Error | undefined;
  /** Answers `fetch`. */
  fetch: (params: Fields, exchange: Exchange) => unknown = () => null;
  admit: (params: Fields) => unknown = () => null;
  readonly #values = new Map<string, Value>();
  readonly #writes = new Map<string, Map<string, Write>>();
  readonly #items = new Map<string, Item>();

  readonly handlers: Handlers = Object.fromEntries(
    Object.entries({
      'checkpoint.find': (params: Fields) => this.#find(params),
      'checkpoint.list': (params: Fields) => this.#list(params),
      'checkpoint.sends': () => [],
      'checkpoint.histories': (params: Fields) => this.#histories(params),
      'checkpoint.write': ({ units }: { units: Unit[] }) => this.#write(units),
      'checkpoint.delete_thread': ({ thread_id }: Fields) => this.#deleteThread(thread_id),
      'store.batch': ({ operations }: { operations: Fields[] }) =>
        operations.map((operation) => this.#operate(operation) ?? null),
      fetch: (params: Fields, exchange: Exchange) => this.fetch(params, exchange),
      admit: (params: Fields) => this.admit(params),
    }).map(([method, handler]) => [
      method,
      (params: never, exchange: Exchange) => {
        this.calls.push(method);
        return (handler as (params: never, exchange: Exchange) => unknown)(params, exchange);
      },
    ]),
  );

  /** Number of calls of a method; resets all counts. */
  take(method: string): number {
    return this.calls.splice(0).filter((called) => called === method).length;
  }

  /** The latest checkpoint of the thread's graph. */
  latest(thread_id: string): unknown {
    return this.#find({ thread_id, checkpoint_ns: '' });
  }

  #find({ thread_id, checkpoint_ns, checkpoint_id }: Fields): unknown {
    const found = this.#newestFirst().find(
      (row) =>
        row.thread_id === thread_id &&
        row.checkpoint_ns === checkpoint_ns &&
        (checkpoint_id === undefined || row.checkpoint_id === checkpoint_id),
    );
    return found ? this.#stored(found) : null;
  }

  #list({ filter, limit }: Fields): unknown {
    const { thread_id, checkpoint_ns, checkpoint_id, before, after, metadata } = filter as Fields;
    return this.#newestFirst()
      .filter(
        (row) =>
          (thread_id === undefined || row.thread_id === thread_id) &&
          (checkpoint_ns === undefined || row.checkpoint_ns === checkpoint_ns) &&
          (checkpoint_id === undefined || row.checkpoint_id === checkpoint_id) &&
          (before === undefined || row.checkpoint_id < (before as string)) &&
          (after === undefined || row.checkpoint_id < (after as Row).checkpoint_id) &&
          Object.entries(JSON.parse((metadata as string | undefined) ?? '{}') as Fields).every(
            ([key, value]) =>
              JSON.stringify((JSON.parse(row.metadata) as Fields)[key]) === JSON.stringify(value),
          ),
      )
      .slice(0, limit as number)
      .map((row) => this.#stored(row));
  }

  #newestFirst(): Row[] {
    return [...this.rows.values()].sort((a, b) => (a.checkpoint_id < b.checkpoint_id ? 1 : -1));
  }

  #stored(row: Row): unknown {
    const { thread_id, checkpoint_ns, checkpoint_id, channel_versions } = row;
    const values = Object.entries(channel_versions).flatMap(([channel, version]) => {
      const value = this.#values.get(keyOf(thread_id, checkpoint_ns, channel, String(version)));
      return value ? [[channel, value]] : [];
    });
    return {
      row,
      values: Object.fromEntries(values),
      writes: this.#writesOn(thread_id, checkpoint_ns, checkpoint_id),
    };
  }

  #writesOn(...place: string[]): Write[] {
    const writes = [...(this.#writes.get(keyOf(...place))?.values() ?? [])];
    const taskOf = ({ task_path = '', task_id }: Write) => `${task_path} ${task_id}`;
    return writes.sort((a, b) => (taskOf(a) === taskOf(b) ? a.idx - b.idx : taskOf(a) < taskOf(b) ? -1 : 1));
  }

  #histories({ thread_id, checkpoint_ns, checkpoint_id, channels }: Fields): unknown {
    const at = (id: unknown) => this.rows.get(keyOf(thread_id, checkpoint_ns, id));
    const history = (channel: string) => {
      const writes: Write[] = [];
      for (let row = at(at(checkpoint_id)?.parent_checkpoint_id); row; row = at(row.parent_checkpoint_id)) {
        const own = this.#writesOn(row.thread_id, row.checkpoint_ns, row.checkpoint_id);
        writes.unshift(...own.filter((write) => write.channel === channel));
        const version = String(row.channel_versions[channel]);
        const seed = this.#values.get(keyOf(thread_id, checkpoint_ns, channel, version));
        if (seed) return { seed, writes };
      }
      return { writes };
    };
    return Object.fromEntries((channels as string[]).map((channel) => [channel, history(channel)]));
  }

  #write(units: Unit[]): null {
    if (this.refuseWrites) throw this.refuseWrites;
    for (const { checkpoint: row, values, writes } of units) {
      if (row) this.rows.set(keyOf(row.thread_id, row.checkpoint_ns, row.checkpoint_id), row);
      for (const { thread_id, checkpoint_ns, channel, version, type, value } of values)
        this.#values.set(keyOf(thread_id, checkpoint_ns, channel, version), { type, value });
      for (const write of writes) {
        const place = keyOf(write.thread_id, write.checkpoint_ns, write.checkpoint_id);
        const known = this.#writes.get(place) ?? new Map<string, Write>();
        const key = keyOf(write.task_id, write.idx);
        if (write.idx < 0 || !known.has(key)) known.set(key, write);
        this.#writes.set(place, known);
      }
    }
    return null;
  }

  #deleteThread(threadId: unknown): null {
    for (const [key, row] of this.rows) if (row.thread_id === threadId) this.rows.delete(key);
    return null;
  }

  #operate(operation: Fields): unknown {
    const { action, namespace, key, value, namespace_prefix, filter, limit } = operation;
    const time = '2026-11-23T12:00:00.000000+00:00';
    if (action === 'get') return this.#items.get(keyOf(namespace, key));
    if (action === 'delete') return void this.#items.delete(keyOf(namespace, key));
    if (action === 'put') {
      const item = { namespace, key, value, created_at: time, updated_at: time } as unknown as Item;
      return void this.#items.set(keyOf(namespace, key), item);
    }
    const items = [...this.#items.values()];
    if (action === 'list_namespaces')
      return [...new Set(items.map((item) => JSON.stringify(item.namespace)))].map(
        (text) => JSON.parse(text) as string[],
      );
    return items
      .filter((item) => startsWith(item.namespace, namespace_prefix as string[]))
      .filter(({ value }) =>
        Object.entries((filter ?? {}) as Fields).every(
          ([name, wanted]) => (value as Fields)[name] === wanted,
        ),
      )
      .slice(0, limit as number)
      .map((item) => ({ ...item, score: null }));
  }
}
