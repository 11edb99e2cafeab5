import { isObject } from '../../platform/json-object.ts';
import { parsed } from './attribute-values.ts';
import type { Attributes } from './otel-span.ts';

/**
 * Converts messages flattened into keys to chat-completions messages. Supports `0.content` of OpenLLMetry, and
 * `0.message.content` and `0.message.contents.0.message_content.text` of OpenInference.
 */
export function readMessages(value: unknown): unknown {
  return Array.isArray(value) ? value.map(readMessage) : value;
}

function readMessage(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { contents, tool_calls, function_call_name, function_call_arguments_json, ...message } = isObject(
    item['message'],
  )
    ? item['message']
    : item;
  const calls = [
    ...(Array.isArray(tool_calls) ? tool_calls.filter(isObject).map(readToolCall) : []),
    ...(function_call_name === undefined
      ? []
      : [readToolCall({ function: { name: function_call_name, arguments: function_call_arguments_json } })]),
  ];
  return {
    ...message,
    ...(Array.isArray(contents) && {
      content: contents.filter(isObject).flatMap((part) => readPart(part, calls.length > 0)),
    }),
    // OpenLLMetry writes content parts as JSON.
    ...(typeof message['content'] === 'string' && { content: partsIn(message['content']) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function readToolCall(item: Attributes): object {
  const call = isObject(item['tool_call']) ? item['tool_call'] : item;
  const { id, name, function: called } = call;
  const { name: calledName = name, arguments: args = call['arguments'] } = isObject(called) ? called : {};
  return { id, type: 'function', function: { name: calledName, arguments: args ?? '{}' } };
}

/** A content part, without parts that merely repeat a tool call. */
function readPart(item: Attributes, hasCalls: boolean): object[] {
  const part = isObject(item['message_content']) ? item['message_content'] : item;
  if (part['type'] === 'tool_use') {
    if (isObject(item['tool_call'])) return [readToolUse(item['tool_call'])];
    if (hasCalls && Object.keys(part).length === 1) return [];
  }
  const image = isObject(part['image']) ? part['image'] : undefined;
  if (!image) return [part];
  return [{ type: 'image_url', image_url: isObject(image['image']) ? image['image'] : image }];
}

function readToolUse({ id, function: called }: Attributes): object {
  const { name, arguments: args } = isObject(called) ? called : {};
  return { type: 'tool_use', id, name, input: parsed(args) ?? {} };
}

function partsIn(content: string): unknown {
  const parts =
    content.startsWith('[{"type"') || content.startsWith("[{'type'") ? parsed(content) : undefined;
  return Array.isArray(parts) && parts.every((part) => isObject(part) && typeof part['type'] === 'string')
    ? parts
    : content;
}
