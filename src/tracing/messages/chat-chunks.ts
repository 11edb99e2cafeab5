import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { objectOf, objectsOf, textOf } from './json-shape.ts';

const TEXTS = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const;

interface Open {
  message: JsonObject;
  calls: Map<unknown, JsonObject>;
}

/** Merges stream chunks into one message per choice. Undefined for anything else. */
export function mergeChunks(chunks: unknown[]): JsonObject[] | undefined {
  if (chunks.length === 0 || !chunks.every((chunk) => isObject(chunk) && Array.isArray(chunk['choices'])))
    return undefined;
  const choices = new Map<unknown, Open>();
  for (const choice of objectsOf(chunks).flatMap((chunk) => objectsOf(chunk['choices']))) {
    const open = choices.get(choice['index']) ?? { message: { role: 'assistant' }, calls: new Map() };
    choices.set(choice['index'], open);
    addDelta(open, objectOf(choice['delta'] ?? choice['message']));
  }
  return [...choices.values()].map(({ message, calls }) => ({ ...message, tool_calls: [...calls.values()] }));
}

function addDelta({ message, calls }: Open, delta: JsonObject): void {
  append(message, delta, TEXTS);
  for (const part of objectsOf(delta['tool_calls'])) {
    const call = calls.get(part['index']) ?? { function: {} };
    calls.set(part['index'], call);
    call['id'] ??= part['id'];
    append(objectOf(call['function']), objectOf(part['function']), ['name', 'arguments']);
  }
}

function append(to: JsonObject, from: JsonObject, keys: readonly string[]): void {
  for (const key of keys) if (typeof from[key] === 'string') to[key] = (textOf(to[key]) ?? '') + from[key];
}
