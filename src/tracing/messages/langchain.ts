import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { invalidCall } from './chat-completions.ts';
import { listOf, objectOf, objectsOf, restOf, textOf } from './json-shape.ts';
import { type Blocks, reasoning, text, toolCall } from './pieces.ts';
import { roleOf } from './roles.ts';

/** Content blocks specific to LangChain. */
export const LANGCHAIN_BLOCKS: Blocks = {
  reasoning: (block) =>
    typeof block['reasoning'] === 'string'
      ? reasoning(block['reasoning'], restOf(block, 'reasoning'))
      : undefined,
  'text-plain': (block) => text(textOf(block['text'], block['data']) ?? '', restOf(block, 'text', 'data')),
  tool_call_chunk: (block) => [toolCall(block['name'], block['args'], block['id'])],
  invalid_tool_call: (block) => [invalidCall(block)],
  // Streamed fragments; tool_calls has the complete call.
  input_json_delta: () => [],
  non_standard: (block, read) => (isObject(block['value']) ? read([block['value']]) : undefined),
};

const isConstructor = (value: unknown): value is JsonObject =>
  isObject(value) &&
  value['type'] === 'constructor' &&
  isObject(value['kwargs']) &&
  Array.isArray(value['id']);

const classOf = (value: JsonObject): string => textOf(listOf(value['id']).at(-1)) ?? '';

/**
 * Whether it is a LangChain message: serialised (`lc`), stored (`{type, data}`) or a plain dict (`{type: "human"}`).
 */
export function isLangChainMessage(value: unknown): value is JsonObject {
  if (isConstructor(value)) return /Message(?:Chunk)?$/.test(classOf(value));
  if (!isObject(value) || value['role'] !== undefined) return false;
  const isKnown =
    roleOf(value['type']) !== undefined || value['type'] === 'chat' || value['type'] === 'remove';
  return isKnown && ('content' in value || isObject(value['data']));
}

/** Fields of a message with its `role`. Undefined for removals, which have no content. */
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
  for (const key of PROVIDER_KEYS) if (key in more) read[key] ??= more[key];
  for (const key of CALLS) if (!hasCalls && key in more) read[key] = more[key];
  return read;
}

// Provider fields in additional_kwargs. Calls there only count if LangChain parsed none.
const PROVIDER_KEYS = ['reasoning_content', 'reasoning', 'refusal', 'audio'];
const CALLS = ['tool_calls', 'function_call'];

/** Messages of a prompt value, serialised or plain. Undefined for anything else. */
function promptMessages(value: unknown): unknown[] | undefined {
  if (!isConstructor(value)) return undefined;
  const { messages, value: words } = objectOf(value['kwargs']);
  if (Array.isArray(messages)) return messages;
  return typeof words === 'string' ? [{ role: 'user', content: words }] : undefined;
}

/** Messages in chat-model generations, a prompt value or a single message. */
export function langChainBody(body: JsonObject): unknown[] | undefined {
  const generations = objectsOf(listOf(body['generations']).flat());
  if (generations.some(({ message }) => isObject(message))) return generations;
  for (const value of [body, body['output'], body['input']]) {
    const messages = promptMessages(value) ?? (isLangChainMessage(value) ? [value] : undefined);
    if (messages) return messages;
  }
  return undefined;
}
