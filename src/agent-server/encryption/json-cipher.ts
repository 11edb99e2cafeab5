import type { SealedField } from '../../platform/db/sealing.ts';
import type { EncryptionContext } from '../../graph-protocol/messages.ts';
import type { ProjectEncryption } from './host-encryption.ts';

/** An encrypted value, with the metadata its handler needs to decrypt it. */
interface Sealed {
  key: string;
  value: unknown;
  model: string;
  field: string;
  context?: Record<string, unknown>;
}

type Json = Record<string, unknown>;

export const MARK = '$sealed';

const OPEN = new Set(
  (
    'thread_id run_id assistant_id graph_id checkpoint_id checkpoint_ns checkpoint_map task_id cron_id user_id ' +
    'created_by source step parents temporary run_attempt max_concurrency recursion_limit ttl'
  ).split(' '),
);

/** Fields the server reads are never encrypted. It reads none in graph values or store values. */
const staysOpen = (key: string, { model, field }: SealedField): boolean =>
  model !== 'store' &&
  field !== 'values' &&
  field !== 'interrupts' &&
  (OPEN.has(key) || key.startsWith('__') || (key.startsWith('langgraph_') && key !== 'langgraph_auth_user'));

type JsonHandlers = Required<
  Record<'encrypt' | 'decrypt', NonNullable<ProjectEncryption['encrypt']['json']>>
>;

/**
 * Encrypts the parts that the project's handlers choose, object by object from the outside in; leaves the rest
 * unchanged.
 */
export class JsonCipher {
  readonly #handlers: JsonHandlers;

  constructor(handlers: JsonHandlers) {
    this.#handlers = handlers;
  }

  async seal(value: unknown, place: SealedField, metadata: Json): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.seal(item, place, metadata)));
    if (typeof value !== 'object' || value === null) return value;
    const sealed = await this.#sealObject(value as Json, place, metadata);
    // Escapes values that only look sealed.
    return MARK in value ? { [MARK]: { entries: Object.entries(sealed) } } : sealed;
  }

  async #sealObject(value: Json, place: SealedField, metadata: Json): Promise<Json> {
    const given = Object.fromEntries(Object.entries(value).filter(([key]) => !staysOpen(key, place)));
    const context: EncryptionContext = { ...place, metadata };
    const made = await this.#handlers.encrypt(context, structuredClone(given));
    if (
      Object.keys(made).length !== Object.keys(given).length ||
      !Object.keys(given).every((key) => key in made)
    )
      throw new Error(`The project's encryption must keep the keys of ${place.model}.${place.field}`);
    const entries = Object.entries(value).map(async ([key, item]) => {
      const changed = key in given && JSON.stringify(made[key]) !== JSON.stringify(item);
      if (!changed) return [key, await this.seal(item, place, metadata)] as const;
      const sealed: Sealed = { key, value: made[key], ...place };
      if (Object.keys(metadata).length > 0) sealed.context = metadata;
      return [key, { [MARK]: sealed }] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** Returns the value unchanged if nothing in it is sealed. */
  async open(value: unknown): Promise<unknown> {
    return holdsSealed(value) ? this.#open(value) : value;
  }

  async #open(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.#open(item)));
    if (typeof value !== 'object' || value === null) return value;
    const sealed = (value as Json)[MARK] as (Sealed & { entries?: [string, unknown][] }) | undefined;
    if (!sealed) return this.#openEntries(Object.entries(value));
    if (sealed.entries) return this.#openEntries(sealed.entries);
    const { key, value: stored, model, field, context = {} } = sealed;
    return (await this.#handlers.decrypt({ model, field, metadata: context }, { [key]: stored }))[key];
  }

  async #openEntries(entries: [string, unknown][]): Promise<Json> {
    return Object.fromEntries(
      await Promise.all(entries.map(async ([key, item]) => [key, await this.#open(item)] as const)),
    );
  }
}

function holdsSealed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsSealed);
  return MARK in value || Object.values(value).some(holdsSealed);
}
