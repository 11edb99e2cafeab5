import type { Description, EncryptionContext, Json, User } from '../../graph-protocol/messages.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';

type Handler<Data> = (context: EncryptionContext, data: Data) => Data | Promise<Data>;

interface Handlers {
  json?: Handler<Json>;
  blob?: Handler<Uint8Array>;
}

/** The project's encryption, which runs on its hosts. */
export interface ProjectEncryption {
  encrypt: Handlers;
  decrypt: Handlers;
  /** Creates the metadata for everything a request stores; defaults to its `X-Encryption-Context`. */
  context?: (user: User | undefined, context: EncryptionContext) => Promise<Json>;
}

/** Undefined if the project has no encryption. */
export function hostEncryption(
  hosts: GraphHosts,
  { encryption }: Description,
): ProjectEncryption | undefined {
  if (!encryption) return undefined;
  const handlers = (operation: 'encrypt' | 'decrypt'): Handlers => ({
    ...(encryption.json && {
      json: (context, data) => hosts.call('encryption.apply', { operation, kind: 'json', context, data }),
    }),
    ...(encryption.blob && {
      async blob(context, bytes) {
        const data = Buffer.from(bytes).toString('base64');
        const params = { operation, kind: 'blob', context, data };
        return Buffer.from(await hosts.call<string>('encryption.apply', params), 'base64');
      },
    }),
  });
  return {
    encrypt: handlers('encrypt'),
    decrypt: handlers('decrypt'),
    ...(encryption.context && {
      context: (user, context) => hosts.call<Json>('encryption.context', { user, context }),
    }),
  };
}
