import type { JsonObject } from '../../platform/schema.ts';
import { isObject, objectOf, objectsOf, textOf } from './json-shape.ts';

const TEXTS = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const;

/** Chunks of a stream that nobody merged: the message each choice comes to; undefined for anything else. */
export function mergeChunks(chunks: unknown[]): JsonObject[] | undefined {
  if (chunks.length === 0 || !chunks.every((chunk) => isObject(chunk) && Array.isArray(chunk['choices'])))
    return undefined;
  const choices = new Map<unknown, JsonObject>();
  for (const choice of objectsOf(chunks).flatMap((chunk) => objectsOf(chunk['choices']))) {
    const message = choices.get(choice['index']) ?? { role: 'assistant' };
    choices.set(choice['index'], message);
    addDelta(message, objectOf(choice['delta'] ?? choice['message']));
  }
  return [...choices.values()];
}

function addDelta(message: JsonObject, delta: JsonObject): void {
  for (const key of TEXTS)
    if (typeof delta[key] === 'string') message[key] = (textOf(message[key]) ?? '') + delta[key];
  for (const part of objectsOf(delta['tool_calls'])) {
    const calls = (message['tool_calls'] ??= []) as JsonObject[];
    const call = calls.find(({ index }) => index === part['index']) ?? { index: part['index'], function: {} };
    if (!calls.includes(call)) calls.push(call);
    call['id'] ??= part['id'];
    const made = call['function'] as JsonObject;
    const more = objectOf(part['function']);
    for (const key of ['name', 'arguments'])
      if (typeof more[key] === 'string') made[key] = (textOf(made[key]) ?? '') + more[key];
  }
}
