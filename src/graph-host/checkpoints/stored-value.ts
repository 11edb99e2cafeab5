import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import type { StoredValue } from '../../graph-protocol/checkpoint-record.ts';

/** Serialises synchronously, so that later changes to the value are not stored. */
export async function storeValue(serde: SerializerProtocol, value: unknown): Promise<StoredValue> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type !== 'json') return { type, value: buffer.toString('base64') };
  // The serialiser turns a function into empty text, which could never be loaded again.
  return { type, value: buffer.toString('utf8') || 'null' };
}

/** Returns a new copy, made of the serialiser's own classes. */
export async function reviveValue(serde: SerializerProtocol, { type, value }: StoredValue): Promise<unknown> {
  return serde.loadsTyped(type, type === 'json' ? value : new Uint8Array(Buffer.from(value, 'base64')));
}
