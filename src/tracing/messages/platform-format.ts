import { objectOf, restOf, textOf } from './json-shape.ts';
import { addressOrBase64, mediaItem } from './media.ts';
import type { MediaItem } from './message.ts';
import {
  type BlockReader,
  type Blocks,
  reasoning,
  serverToolCall,
  serverToolResult,
  text,
  toolCall,
} from './pieces.ts';

/** Media as spelled by the platform, LangChain (both versions) and AI SDK: URL, base64 or id. */
const media =
  (type: MediaItem['type']): BlockReader =>
  (block) => {
    const id = textOf(block['file_id'], block['fileId'], block['id']);
    const mime_type = textOf(block['mime_type'], block['mimeType'], block['mediaType'], block['media_type']);
    const content = textOf(block['base64'], block['data'], block['image'], block['file'], block['audio']);
    const url = textOf(block['url'], block['uri']);
    if (content === undefined && url === undefined && id === undefined) return undefined;
    const media = content === undefined ? {} : addressOrBase64(content);
    const fields = { ...media, ...(url !== undefined && { url }), id, mime_type };
    return [mediaItem(type, fields, restOf(block, ...MEDIA_KEYS))];
  };
const MEDIA_KEYS =
  'url uri base64 data image file audio id file_id fileId source_type mime_type mimeType mediaType media_type'.split(
    ' ',
  );

/** Content items of the platform. */
export const PLATFORM_BLOCKS: Blocks = {
  text: (block) =>
    typeof block['text'] === 'string'
      ? text(block['text'], restOf(block, 'text', 'annotations'), block['annotations'])
      : undefined,
  reasoning: (block) =>
    typeof block['text'] === 'string' ? reasoning(block['text'], restOf(block, 'text')) : undefined,
  image: media('image'),
  file: media('file'),
  audio: media('audio'),
  video: media('video'),
  tool_call: (block) => [
    toolCall(block['name'], block['args'], block['id'], restOf(block, 'name', 'args', 'id')),
  ],
  server_tool_call: (block) => [
    serverToolCall(block['name'], block['args'], block['id'], restOf(block, 'name', 'args', 'id')),
  ],
  server_tool_result: (block) => {
    const result = serverToolResult(
      textOf(block['tool_call_id'], block['toolCallId']),
      block['output'],
      block['status'] === 'error' || objectOf(block['output'])['is_error'] === true,
      restOf(block, 'tool_call_id', 'toolCallId', 'id', 'status', 'output'),
    );
    return [typeof block['id'] === 'string' ? { ...result, id: block['id'] } : result];
  },
};
