import { isObject } from '../../platform/json-object.ts';
import { objectOf, objectsOf, restOf, textOf } from './json-shape.ts';
import { kindOf, mediaItem } from './media.ts';
import {
  type BlockReader,
  type Blocks,
  itemsOf,
  reasoning,
  serverToolCall,
  serverToolResult,
  text,
  toolCall,
  toolMessage,
} from './pieces.ts';

/** `source` of images and documents: base64, URL, stored file, plain text or blocks. */
const sourced: BlockReader = (block, read) => {
  const { source } = block;
  if (!isObject(source)) return undefined;
  const extras = restOf(block, 'source');
  const mime_type = textOf(source['media_type']);
  if (source['type'] === 'text' || source['type'] === 'content') {
    const words = source['type'] === 'text' ? [source['data']] : source['content'];
    const [first, ...others] = itemsOf(read(words));
    return first ? [extras ? { ...first, extras: { ...first.extras, ...extras } } : first, ...others] : [];
  }
  const kind = block['type'] === 'image' ? 'image' : kindOf(mime_type);
  return [
    mediaItem(kind, { url: source['url'], base64: source['data'], id: source['file_id'], mime_type }, extras),
  ];
};

const used = ['id', 'name', 'input'];
const serverCall: BlockReader = (block) => [
  serverToolCall(block['name'], block['input'], block['id'], restOf(block, ...used)),
];

/** Content blocks of the messages API. */
export const MESSAGES_BLOCKS: Blocks = {
  text: (block) =>
    typeof block['text'] === 'string' && block['citations']
      ? text(block['text'], restOf(block, 'text', 'citations'), block['citations'])
      : undefined,
  thinking: (block) => reasoning(textOf(block['thinking']) ?? '', restOf(block, 'thinking')),
  redacted_thinking: (block) => reasoning('', { redacted: true, ...restOf(block) }),
  image: sourced,
  document: sourced,
  container_upload: (block) => [mediaItem('file', { id: block['file_id'] }, restOf(block, 'file_id'))],
  search_result: (block) => {
    const words = objectsOf(block['content']).map((part) => textOf(part['text']) ?? '');
    return text(words.join('\n'), restOf(block, 'content'));
  },
  tool_use: (block) => [toolCall(block['name'], block['input'], block['id'], restOf(block, ...used))],
  server_tool_use: serverCall,
  mcp_tool_use: serverCall,
  tool_result: (block, read) => [
    toolMessage(
      block['tool_use_id'],
      block['content'],
      read,
      restOf(block, 'tool_use_id', 'content', ...(block['is_error'] === false ? ['is_error'] : [])),
    ),
  ],
};

/** Results of the provider's tools, `*_tool_result`. */
export const serverResult: BlockReader = (block) => {
  const { type } = objectOf(block['content']);
  const isError = block['is_error'] === true || (typeof type === 'string' && type.endsWith('_error'));
  const extras = restOf(block, 'tool_use_id', 'content', 'is_error');
  return [serverToolResult(block['tool_use_id'], block['content'], isError, extras)];
};
