import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { objectOf, objectsOf, textOf } from './json-shape.ts';

// Maps delta fields to block fields.
const ADDS = [
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['signature', 'signature'],
  ['partial_json', 'input'],
] as const;

/** Merges stream events of the messages API into a message. Undefined for anything else. */
export function mergeEvents(body: JsonObject): unknown[] | undefined {
  const list = body['output'] ?? body['outputs'];
  const start = objectsOf(list).find(({ type, message }) => type === 'message_start' && isObject(message));
  if (!start) return undefined;
  const blocks = new Map<unknown, JsonObject>();
  for (const { type, index, content_block, delta } of objectsOf(list))
    if (type === 'content_block_start') blocks.set(index, { ...objectOf(content_block) });
    else if (type === 'content_block_delta') addDelta(blocks.get(index) ?? {}, objectOf(delta));
  const { id, usage_metadata } = objectOf(start['message']);
  return [{ id, role: 'assistant', content: [...blocks.values()], usage_metadata }];
}

function addDelta(block: JsonObject, delta: JsonObject): void {
  for (const [from, to] of ADDS)
    if (typeof delta[from] === 'string') block[to] = (textOf(block[to]) ?? '') + delta[from];
  if (isObject(delta['citation'])) {
    if (!Array.isArray(block['citations'])) block['citations'] = [];
    (block['citations'] as unknown[]).push(delta['citation']);
  }
}
