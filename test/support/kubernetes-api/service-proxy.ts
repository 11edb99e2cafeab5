import type { Relay } from '../relay.ts';
import { relay } from '../relay.ts';
import { type ObjectStore, selects } from './object-store.ts';

const ADDRESS = '127.0.0.1';

/** Like kube-proxy, forwards an address per Service to one of its pods. */
export class ServiceProxy {
  readonly #store: ObjectStore;
  readonly #relays = new Map<string, Promise<Relay>>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Replaces the address of a Service, `tcp:name:port`; returns anything else unchanged. */
  async resolve(text: string): Promise<string> {
    const [, name, port] = /^tcp:([a-z0-9-]+):(\d+)$/.exec(text) ?? [];
    if (!name || !this.#store.find('services', name)) return text;
    const known = this.#relays.get(text) ?? relay(ADDRESS, () => this.#podOf(name, Number(port)));
    this.#relays.set(text, known);
    return `tcp:${ADDRESS}:${(await known).port}`;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#relays.values(), async (one) => (await one).close()));
  }

  #podOf(service: string, port: number): { host: string; port: number } | undefined {
    const { selector } = this.#store.find('services', service)?.spec ?? {};
    if (!selector) return undefined;
    const pods = this.#store.list('pods').filter((pod) => selects(selector, pod.metadata.labels));
    const pod = pods[Math.floor(Math.random() * pods.length)];
    return pod?.status?.podIP && { host: pod.status.podIP, port };
  }
}
