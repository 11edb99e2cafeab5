import { isObject } from '../../platform/json-object.ts';
import { type Fields } from './envelope.ts';

/** Part of a message's content; `key` identifies the block a streamed piece belongs to. */
export interface Piece {
  key: string;
  block: Fields & { type: string };
}

type Block = Piece['block'];

// Providers repeat tool calls in the content; we read them from the dedicated fields.
const TOOL_PARTS = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'input_json_delta']);
const KNOWN = new Set(['text', 'reasoning', 'image', 'audio', 'video', 'file', 'non_standard']);

/** Splits a whole message into blocks, or a streamed chunk into additions to them. */
export function piecesOf(message: Fields): Piece[] {
  const { content, additional_kwargs: extra } = message;
  const reasoning = isObject(extra) ? extra['reasoning_content'] : undefined;
  return [
    ...(typeof reasoning === 'string' && reasoning
      ? [{ key: 'reasoning', block: { type: 'reasoning', reasoning } }]
      : []),
    ...contentPieces(content),
    ...toolPieces(message),
  ];
}

function contentPieces(content: unknown): Piece[] {
  if (typeof content === 'string')
    return content ? [{ key: 'text', block: { type: 'text', text: content } }] : [];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown, position): Piece[] => {
    if (typeof part === 'string') return [{ key: 'text', block: { type: 'text', text: part } }];
    if (!isObject(part) || typeof part['type'] !== 'string') return [];
    const { type, index } = part;
    if (TOOL_PARTS.has(type) || type.startsWith('server_tool')) return [];
    const block = KNOWN.has(type) ? (part as Block) : { type: 'non_standard', value: part };
    return [{ key: `${type}:${(index as string | undefined) ?? (type === 'text' ? 0 : position)}`, block }];
  });
}

function toolPieces({ tool_call_chunks: chunks, tool_calls: calls, type }: Fields): Piece[] {
  const streamed = type === 'AIMessageChunk';
  const parts = streamed ? chunks : calls;
  if (!Array.isArray(parts)) return [];
  return (parts as Fields[]).map(({ id, name, args, index }, position) => ({
    key: `tool:${(index as number | undefined) ?? position}`,
    block: {
      type: 'tool_call_chunk',
      id: id ?? null,
      name: name ?? null,
      args: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    },
  }));
}

/** The block at its start, before any content has streamed in. */
export function emptyBlock(block: Block): Block {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'reasoning') return { ...block, reasoning: '' };
  if (block.type === 'tool_call_chunk') return { ...block, args: '' };
  return block;
}

/** Appends a piece to its block. Returns the matching delta for the reader, or undefined if there is none. */
export function growBlock(block: Block, piece: Block): Fields | undefined {
  if (piece.type === 'text' || piece.type === 'reasoning') {
    const text = piece[piece.type];
    if (typeof text !== 'string' || text === '') return undefined;
    block[piece.type] = ((block[piece.type] as string | undefined) ?? '') + text;
    return { type: `${piece.type}-delta`, [piece.type]: text };
  }
  if (piece.type === 'tool_call_chunk') {
    block['id'] ??= piece['id'];
    block['name'] ??= piece['name'];
    block['args'] = String(block['args']) + String(piece['args']);
    // Readers replace the fields of a block delta, so send the whole block so far.
    return { type: 'block-delta', fields: { ...block } };
  }
  if (block === piece) return undefined;
  if (typeof piece['base64'] === 'string' && typeof block['base64'] === 'string') {
    block['base64'] += piece['base64'];
    return { type: 'data-delta', data: piece['base64'], encoding: 'base64' };
  }
  Object.assign(block, piece);
  return { type: 'block-delta', fields: { ...piece } };
}

/** The completed block; parses the arguments of a tool call. */
export function finishedBlock(block: Block): Block {
  if (block.type !== 'tool_call_chunk') return block;
  const { id, name, args } = block;
  try {
    const parsed: unknown = JSON.parse(String(args) || '{}');
    if (isObject(parsed) && name) return { type: 'tool_call', id, name, args: parsed };
  } catch {
    // The model wrote invalid JSON, or was cut off.
  }
  return { type: 'invalid_tool_call', id, name, args, error: 'Malformed args.' };
}
