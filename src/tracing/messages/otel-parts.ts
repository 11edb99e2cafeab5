import { isObject } from '../../platform/json-object.ts';
import { objectOf, restOf, textOf } from './json-shape.ts';
import { kindOf, mediaItem } from './media.ts';
import type { MediaItem } from './message.ts';
import {
  type BlockReader,
  type Blocks,
  reasoning,
  serverToolCall,
  serverToolResult,
  text,
  toolCall,
  toolMessage,
} from './pieces.ts';

const media = (key: 'content' | 'file_id' | 'uri'): BlockReader => {
  const field = { content: 'base64', file_id: 'id', uri: 'url' }[key];
  return (part) => {
    const { modality, mime_type } = part;
    if (typeof part[key] !== 'string' || (modality === undefined && mime_type === undefined))
      return undefined;
    const kind = KINDS.has(modality) ? (modality as MediaItem['type']) : kindOf(mime_type);
    const extras = restOf(part, key, 'mime_type', ...(KINDS.has(modality) ? ['modality'] : []));
    return [mediaItem(kind, { [field]: part[key], mime_type }, extras)];
  };
};
const KINDS = new Set<unknown>(['image', 'audio', 'video']);

/** Message parts of OpenTelemetry's GenAI conventions and of OpenInference. */
export const OTEL_BLOCKS: Blocks = {
  text: (part) =>
    typeof part['content'] === 'string' && part['text'] === undefined
      ? text(part['content'], restOf(part, 'content'))
      : undefined,
  reasoning: (part) =>
    typeof part['content'] === 'string' ? reasoning(part['content'], restOf(part, 'content')) : undefined,
  tool_call: (part) =>
    part['args'] === undefined && 'arguments' in part
      ? [toolCall(part['name'], part['arguments'], part['id'], restOf(part, 'name', 'arguments', 'id'))]
      : undefined,
  tool_call_response: (part, read) => [
    toolMessage(
      part['id'],
      part['response'] ?? part['result'],
      read,
      restOf(part, 'id', 'response', 'result'),
    ),
  ],
  blob: media('content'),
  file: media('file_id'),
  uri: media('uri'),
  server_tool_call: (part) =>
    isObject(part['server_tool_call'])
      ? [serverToolCall(part['name'], restOf(part['server_tool_call']), part['id'])]
      : undefined,
  server_tool_call_response: (part) => {
    const { server_tool_call_response: output } = part;
    const isError = objectOf(output)['status'] === 'error' || objectOf(output)['error'] !== undefined;
    return [serverToolResult(part['id'], output, isError)];
  },
  // OpenInference nests the fields and `message_content.type`.
  message_content: (part, read) => {
    const content = objectOf(part['message_content']);
    const image = objectOf(objectOf(content['image'])['image'] ?? content['image']);
    const url = textOf(image['url']);
    return url === undefined ? read([content]) : [mediaItem('image', { url })];
  },
};
