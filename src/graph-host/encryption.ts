import type { EncryptionContext, Json, User } from '../graph-protocol/messages.ts';
import { InvalidProject } from '../graph-protocol/invalid-project.ts';
import type { Project } from './project/project.ts';

type Handler<Data> = (context: EncryptionContext, data: Data) => Data | Promise<Data>;

/**
 * The export of `encryption.path`: handlers as in the Python SDK's `Encryption` class, as a plain object. JSON
 * handlers take an object and return one with the same keys; blob handlers take bytes.
 */
export interface ProjectEncryption {
  encrypt: { json?: Handler<Json>; blob?: Handler<Uint8Array> };
  decrypt: { json?: Handler<Json>; blob?: Handler<Uint8Array> };
  /** Returns the metadata of everything a request stores; defaults to its `X-Encryption-Context`. */
  context?: (user: User | undefined, context: EncryptionContext) => Json | Promise<Json>;
}

/** Loads the project's encryption; undefined if it has none. Throws InvalidProject. */
export async function loadEncryption({ config, import: load }: Pick<Project, 'config' | 'import'>) {
  const path = config.encryption?.path;
  if (path === undefined) return undefined;
  const {
    encrypt = {},
    decrypt = {},
    ...rest
  } = ((await load('encryption.path', path)) ?? {}) as Partial<ProjectEncryption>;
  const problem = findProblem(encrypt, decrypt);
  if (problem) throw new InvalidProject(`encryption.path: ${path} ${problem}`);
  return { ...rest, encrypt, decrypt } satisfies ProjectEncryption;
}

function findProblem(encrypt: object, decrypt: object): string | undefined {
  const handlers = (of: object) => Object.entries(of).filter(([kind]) => kind === 'json' || kind === 'blob');
  const all = [...handlers(encrypt), ...handlers(decrypt)];
  if (all.length === 0)
    return 'has no handlers: it must export {encrypt: {json, blob}, decrypt: {json, blob}}';
  const [strange] = all.find(([, handler]) => typeof handler !== 'function') ?? [];
  if (strange) return `has a handler '${strange}' that is not a function`;
  const [alone] =
    handlers(encrypt).find(([kind]) => !(kind in decrypt)) ??
    handlers(decrypt).find(([kind]) => !(kind in encrypt)) ??
    [];
  return alone && `encrypts or decrypts '${alone}', but not both`;
}
