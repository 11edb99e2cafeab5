import { isObject } from '../../platform/json-object.ts';
import { type Draft, type Fields } from './envelope.ts';

const TYPES: Record<string, string> = { AIMessageChunk: 'ai', assistant: 'ai', user: 'human' };

/** Formats a snapshot for protocol clients: drops interrupt markers and names messages by role. */
export function stateValues(data: unknown): unknown {
  if (!isObject(data)) return data;
  const { __interrupt__: _open, ...values } = data;
  if (Object.keys(values).length === 0 && '__interrupt__' in data) return undefined;
  const { messages } = values;
  return Array.isArray(messages) ? { ...values, messages: messages.map(stateMessage) } : values;
}

function stateMessage(message: unknown): unknown {
  if (!isObject(message) || typeof message['type'] !== 'string') return message;
  const { tool_call_chunks: _chunks, ...rest } = message;
  return { ...rest, type: TYPES[message['type']] ?? message['type'] };
}

/** One draft per node that wrote. */
export function updateDrafts(namespace: string[], data: unknown): Draft[] {
  if (!isObject(data)) return [];
  return Object.entries(data)
    .filter(([node]) => node !== '__interrupt__')
    .map(([node, delta]) => ({ method: 'updates', namespace, node, data: delta ?? {} }));
}

export interface OpenInterrupt {
  id: string;
  value: unknown;
}

/** Interrupts in an engine event. */
export function interruptsIn(data: unknown): OpenInterrupt[] {
  const listed = isObject(data) ? data['__interrupt__'] : undefined;
  if (!Array.isArray(listed)) return [];
  return (listed as unknown[])
    .filter((entry): entry is Fields & OpenInterrupt => isObject(entry) && typeof entry['id'] === 'string')
    .map(({ id, value }) => ({ id, value }));
}

/** A checkpoint's id and parent; clients read its state by id. */
export function checkpointData(data: unknown): (Fields & { id: string }) | undefined {
  if (isObject(data) && typeof data['id'] === 'string') return data as Fields & { id: string };
  const { config, parent_config: parent, metadata } = data as { [key: string]: Fields | null };
  const idOf = (at: Fields | null | undefined) =>
    (at?.['configurable'] as Fields | undefined)?.['checkpoint_id'];
  const id = idOf(config);
  if (typeof id !== 'string') return undefined;
  const before = idOf(parent);
  return {
    id,
    ...(typeof before === 'string' && { parent_id: before }),
    step: metadata?.['step'] ?? -1,
    source: metadata?.['source'] ?? 'loop',
  };
}
