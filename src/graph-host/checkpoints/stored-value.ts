import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import type { StoredValue } from '../../graph-protocol/checkpoint-record.ts';

/** Serialises at once: what the caller changes in the value after this call is not stored. */
export async function storeValue(serde: SerializerProtocol, value: unknown): Promise<StoredValue> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type !== 'json') return { type, value: buffer.toString('base64') };
  // Of a function the serialiser makes no text at all, and a thread with that in it could never be loaded again.
  return { type, value: buffer.toString('utf8') || 'null' };
}

/** A fresh copy each time, made of the serialiser's own classes. */
export async function reviveValue(serde: SerializerProtocol, { type, value }: StoredValue): Promise<unknown> {
  return serde.loadsTyped(type, type === 'json' ? value : new Uint8Array(Buffer.from(value, 'base64')));
}
