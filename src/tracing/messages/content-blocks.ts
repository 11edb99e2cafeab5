import { isObject } from '../../platform/json-object.ts';
import { AI_SDK_BLOCKS, uiTool } from './ai-sdk.ts';
import { CHAT_BLOCKS } from './chat-completions.ts';
import { readConverse } from './converse.ts';
import { GEMINI_BLOCKS, readPart } from './gemini.ts';

import { LANGCHAIN_BLOCKS } from './langchain.ts';
import { MESSAGES_BLOCKS, serverResult } from './messages-style.ts';
import { OTEL_BLOCKS } from './otel-parts.ts';
import { type BlockReader, type Piece, text, unknownItem } from './pieces.ts';
import { PLATFORM_BLOCKS } from './platform-format.ts';
import { RESPONSES_BLOCKS } from './responses.ts';

// Several families share block types; the first reader that recognises the fields wins, so the most general come
// last.
const FAMILIES = [
  MESSAGES_BLOCKS,
  CHAT_BLOCKS,
  RESPONSES_BLOCKS,
  OTEL_BLOCKS,
  GEMINI_BLOCKS,
  LANGCHAIN_BLOCKS,
  AI_SDK_BLOCKS,
  PLATFORM_BLOCKS,
];
const READERS = new Map<string, BlockReader[]>();
for (const family of FAMILIES)
  for (const [type, reader] of Object.entries(family))
    READERS.set(type, [...(READERS.get(type) ?? []), reader]);

export const isKnownBlock = (type: unknown): boolean => typeof type === 'string' && READERS.has(type);

/** Reads content of any family: text, a block, or a list of both. Unknown blocks become their JSON as text. */
export function readContent(content: unknown): Piece[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return text(content);
  return Array.isArray(content) ? content.flatMap(readBlock) : readBlock(content);
}

export function readBlock(block: unknown): Piece[] {
  if (typeof block === 'string') return text(block);
  if (block === null) return [];
  return (
    (isObject(block) &&
      readersOf(block)
        .map((read) => read(block, readContent))
        .find(Boolean)) || [unknownItem(block)]
  );
}

function readersOf({ type, message_content }: Record<string, unknown>): BlockReader[] {
  if (typeof type !== 'string')
    return message_content ? [OTEL_BLOCKS['message_content']!] : [readConverse, readPart];
  if (READERS.has(type)) return READERS.get(type)!;
  if (type.endsWith('_tool_result')) return [serverResult];
  return type === 'dynamic-tool' || type.startsWith('tool-') ? [uiTool] : [];
}
