import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { restOf, textOf } from './json-shape.ts';
import { addressOrBase64, kindOf, mediaItem } from './media.ts';
import {
  type BlockReader,
  type Blocks,
  type Piece,
  serverToolCall,
  serverToolResult,
  text,
  toolCall,
  toolMessage,
} from './pieces.ts';

const CALL_KEYS = ['toolCallId', 'toolName', 'input', 'args', 'providerExecuted'];

const call: BlockReader = (part) => {
  const make = part['providerExecuted'] === true ? serverToolCall : toolCall;
  return [
    make(part['toolName'], part['input'] ?? part['args'], part['toolCallId'], restOf(part, ...CALL_KEYS)),
  ];
};

/** Accepts `{type: "text" | "json" | "error-text" | …, value}` or a bare tool result. */
function outputOf(part: JsonObject): { value: unknown; isError: boolean } {
  const output = part['output'] ?? part['result'] ?? part['error'] ?? part['errorText'];
  const isError = part['isError'] === true || part['type'] === 'tool-error';
  if (!isObject(output) || typeof output['type'] !== 'string') return { value: output, isError };
  const denied = output['type'] === 'execution-denied';
  const value = denied ? (output['reason'] ?? 'denied') : output['value'];
  return { value, isError: isError || denied || output['type'].startsWith('error-') };
}

const result: BlockReader = (part, read) => {
  const { value, isError } = outputOf(part);
  const extras = restOf(part, ...CALL_KEYS, 'output', 'result', 'error', 'errorText', 'isError', 'state');
  if (part['providerExecuted'] === true)
    return [serverToolResult(part['toolCallId'], value, isError, extras)];
  const fields = { name: part['toolName'], ...(isError && { status: 'error' }), ...extras };
  return [toolMessage(part['toolCallId'], value, read, fields)];
};

/** Content parts of AI SDK messages. */
export const AI_SDK_BLOCKS: Blocks = {
  'tool-call': call,
  'tool-result': result,
  'tool-error': result,
  // Generated files are nested objects.
  file: (part) => {
    const file = isObject(part['file']) ? part['file'] : part;
    const mime_type = textOf(file['mediaType'], file['mimeType']);
    if (mime_type === undefined) return undefined;
    const content = file['base64'] ?? file['data'] ?? file['url'];
    const extras = restOf(part, 'file', 'base64', 'data', 'url', 'mediaType', 'mimeType', 'id');
    return [mediaItem(kindOf(mime_type), { ...addressOrBase64(content), id: file['id'], mime_type }, extras)];
  },
  source: (part) =>
    typeof part['sourceType'] === 'string'
      ? text(textOf(part['title'], part['url']) ?? '', undefined, [part])
      : undefined,
  'step-start': () => [],
};

/** UI messages name the tool in the part type (`tool-<name>`, `dynamic-tool`) and combine call and result. */
export const uiTool: BlockReader = (part, read) => {
  if (typeof part['toolCallId'] !== 'string') return undefined;
  const toolName = part['toolName'] ?? textOf(part['type'])?.slice('tool-'.length);
  const pieces: Piece[] =
    call({ ...part, toolName, state: undefined, output: undefined, errorText: undefined }, read) ?? [];
  const isDone = part['output'] !== undefined || part['errorText'] !== undefined;
  return isDone
    ? [...pieces, ...(result({ ...part, toolName, isError: part['errorText'] !== undefined }, read) ?? [])]
    : pieces;
};
