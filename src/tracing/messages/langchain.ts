import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { invalidCall } from './chat-completions.ts';
import { listOf, objectOf, objectsOf, restOf, textOf } from './json-shape.ts';
import { type Blocks, reasoning, text, toolCall } from './pieces.ts';
import { roleOf } from './roles.ts';

/** Content blocks that only LangChain has. */
export const LANGCHAIN_BLOCKS: Blocks = {
  reasoning: (block) =>
    typeof block['reasoning'] === 'string'
      ? reasoning(block['reasoning'], restOf(block, 'reasoning'))
      : undefined,
  'text-plain': (block) => text(textOf(block['text'], block['data']) ?? '', restOf(block, 'text', 'data')),
  tool_call_chunk: (block) => [toolCall(block['name'], block['args'], block['id'])],
  invalid_tool_call: (block) => [invalidCall(block)],
  // What streamed of a call is whole in tool_calls.
  input_json_delta: () => [],
  non_standard: (block, read) => (isObject(block['value']) ? read([block['value']]) : undefined),
};

const isConstructor = (value: unknown): value is JsonObject =>
  isObject(value) &&
  value['type'] === 'constructor' &&
  isObject(value['kwargs']) &&
  Array.isArray(value['id']);

const classOf = (value: JsonObject): string => textOf(listOf(value['id']).at(-1)) ?? '';

/** A message LangChain made: serialised (`lc`), stored (`{type, data}`) or a plain dict (`{type: "human"}`). */
export function isLangChainMessage(value: unknown): value is JsonObject {
  if (isConstructor(value)) return /Message(?:Chunk)?$/.test(classOf(value));
  if (!isObject(value) || value['role'] !== undefined) return false;
  const isKnown =
    roleOf(value['type']) !== undefined || value['type'] === 'chat' || value['type'] === 'remove';
  return isKnown && ('content' in value || isObject(value['data']));
}

/** Its fields, with `role`; undefined for a removal, which says nothing. */
export function langChainFields(message: JsonObject): JsonObject | undefined {
  const name = isConstructor(message) ? classOf(message) : (textOf(message['type']) ?? '');
  if (/^remove/i.test(name)) return undefined;
  const fields = isConstructor(message)
    ? objectOf(message['kwargs'])
    : isObject(message['data'])
      ? message['data']
      : message;
  const read: JsonObject = { ...fields, role: /^chat/i.test(name) ? fields['role'] : name };
  const more = objectOf(fields['additional_kwargs']);
  const hasCalls = listOf(fields['tool_calls']).length + listOf(fields['invalid_tool_calls']).length > 0;
  for (const key of BESIDE) if (key in more) read[key] ??= more[key];
  for (const key of CALLS) if (!hasCalls && key in more) read[key] = more[key];
  return read;
}

// What additional_kwargs have of a provider's message; calls count where LangChain has made none of them.
const BESIDE = ['reasoning_content', 'reasoning', 'refusal', 'audio'];
const CALLS = ['tool_calls', 'function_call'];

/** The messages of a prompt value, serialised or plain; undefined for anything else. */
function promptMessages(value: unknown): unknown[] | undefined {
  if (!isConstructor(value)) return undefined;
  const { messages, value: words } = objectOf(value['kwargs']);
  if (Array.isArray(messages)) return messages;
  return typeof words === 'string' ? [{ role: 'user', content: words }] : undefined;
}

/** Generations of a chat model, or a prompt value or message that is all there is. */
export function langChainBody(body: JsonObject): unknown[] | undefined {
  const generations = objectsOf(listOf(body['generations']).flat());
  if (generations.some(({ message }) => isObject(message))) return generations;
  for (const value of [body, body['output'], body['input']]) {
    const messages = promptMessages(value) ?? (isLangChainMessage(value) ? [value] : undefined);
    if (messages) return messages;
  }
  return undefined;
}
