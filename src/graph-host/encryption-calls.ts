import type { EncryptionContext, Json, User } from '../graph-protocol/messages.ts';
import type { HostDeps } from './host-deps.ts';

export interface EncryptionRequest {
  operation: 'encrypt' | 'decrypt';
  kind: 'json' | 'blob';
  context: EncryptionContext;
  /** Blobs are base64. */
  data: Json | string;
}

/** Passes data through the project's handler. */
export async function applyEncryption(
  { encryption }: HostDeps,
  { operation, kind, context, data }: EncryptionRequest,
): Promise<Json | string> {
  const handlers = encryption![operation];
  if (kind === 'json') return handlers.json!(context, data as Json);
  const bytes = await handlers.blob!(context, new Uint8Array(Buffer.from(data as string, 'base64')));
  return Buffer.from(bytes).toString('base64');
}

/** Metadata of everything a request stores. */
export const encryptionContext = (
  { encryption }: HostDeps,
  { user, context }: { user: User | undefined; context: EncryptionContext },
): Json | Promise<Json> => encryption!.context!(user, context);
