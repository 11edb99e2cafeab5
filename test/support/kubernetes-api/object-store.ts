import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';

/** An API object in its wire format. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    generation: number;
    creationTimestamp: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    ownerReferences?: { kind: string; name: string; uid: string }[];
  };
  spec?: any;
  status?: any;
  data?: Record<string, string>;
  type?: string;
}

export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  plural: string;
  object: StoredObject;
  version: number;
}

/** Plays the role of etcd: every object, and every change in order. */
export class ObjectStore extends EventEmitter<{ change: [Change] }> {
  readonly #objects = new Map<string, StoredObject>();
  readonly #history: Change[] = [];
  #version = 1;

  constructor() {
    super();
    this.setMaxListeners(0);
  }

  get version(): string {
    return String(this.#version);
  }

  find(plural: string, name: string): StoredObject | undefined {
    return this.#objects.get(`${plural}/${name}`);
  }

  list(plural: string, selector: Record<string, string> = {}): StoredObject[] {
    return Array.from(this.#objects.entries())
      .filter(([key, object]) => key.startsWith(`${plural}/`) && selects(selector, object.metadata.labels))
      .map(([, object]) => object);
  }

  /** Changes after a version, oldest first. */
  since(version: number): Change[] {
    return this.#history.filter((change) => change.version > version);
  }

  put(
    plural: string,
    object: Omit<StoredObject, 'metadata'> & { metadata: Partial<StoredObject['metadata']> },
  ) {
    const key = `${plural}/${object.metadata.name}`;
    const before = this.#objects.get(key);
    const isSame = before && JSON.stringify(before.spec) === JSON.stringify(object.spec);
    const stored = structuredClone({
      ...object,
      metadata: {
        creationTimestamp: new Date().toISOString().replace(/\.\d+Z/, 'Z'),
        uid: randomUUID(),
        ...before?.metadata,
        ...object.metadata,
        generation: before ? before.metadata.generation + (isSame ? 0 : 1) : 1,
        resourceVersion: String(++this.#version),
      },
    }) as StoredObject;
    this.#objects.set(key, stored);
    this.#tell({ type: before ? 'MODIFIED' : 'ADDED', plural, object: stored, version: this.#version });
    return stored;
  }

  remove(plural: string, name: string): void {
    const object = this.find(plural, name);
    if (!object) return;
    this.#objects.delete(`${plural}/${name}`);
    const gone = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.#tell({ type: 'DELETED', plural, object: gone, version: this.#version });
  }

  #tell(change: Change): void {
    this.#history.push(change);
    this.emit('change', change);
  }
}

export const selects = (selector: Record<string, string>, labels: Record<string, string> = {}): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);
