import type { CheckpointMetadata, SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { reviveValue, storeValue } from './stored-value.ts';

const TRANSIENT = new Set([
  'langgraph_auth_user',
  'langgraph_auth_user_id',
  'langgraph_auth_permissions',
  'langgraph_request_id',
]);

// Metadata of the engine that repeats columns of the checkpoint.
const BOOKKEEPING = new Set([
  'thread_id',
  'checkpoint_id',
  'checkpoint_ns',
  'checkpoint_map',
  'langgraph_step',
  'langgraph_node',
  'langgraph_triggers',
  'langgraph_path',
  'langgraph_checkpoint_ns',
]);

const isKept = (key: string): boolean => !TRANSIENT.has(key) && !key.startsWith('__');

/** A checkpoint's metadata: the run's, overridden by the server's, then by the engine's. */
export function checkpointMetadata(run: object, server: object, engine: object): Record<string, unknown> {
  const ofRun = Object.entries(run).filter(([key]) => !BOOKKEEPING.has(key));
  const all = [...ofRun, ...Object.entries(server), ...Object.entries(engine)];
  return Object.fromEntries(all.filter(([key, value]) => isKept(key) && value !== undefined));
}

/** JSON text that jsonb accepts. */
export async function storeMetadata(serde: SerializerProtocol, metadata: object): Promise<string> {
  return storableJson((await storeValue(serde, metadata)).value);
}

export async function reviveMetadata(serde: SerializerProtocol, text: string): Promise<CheckpointMetadata> {
  return (await reviveValue(serde, { type: 'json', value: text })) as CheckpointMetadata;
}

// The first alternative consumes escaped backslashes, so that the second does not match after them.
const UNSTORABLE = /(\\\\)|\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/g;

/** Replaces NUL and unpaired surrogates, which are escapes in JSON text and which jsonb can't store, by U+FFFD. */
export const storableJson = (json: string): string =>
  json.replace(UNSTORABLE, (_, backslash) => backslash ?? '\\ufffd');
