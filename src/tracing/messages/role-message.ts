import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { trailingPieces, reasoningPieces } from './chat-completions.ts';
import { readContent } from './content-blocks.ts';
import { compact, given, listOf, textOf } from './json-shape.ts';
import { isLangChainMessage, langChainFields } from './langchain.ts';
import type { ContentItem, Message, Role } from './message.ts';
import { assemble, type Piece, text, unknownItem, withExtras } from './pieces.ts';
import { roleOf } from './roles.ts';
import { usageOf } from './usage-metadata.ts';

/**
 * Reads a message of any family; `otherwise` is the default role. Embedded tool results become separate messages, and
 * anything else becomes its JSON as text.
 */
export function readMessage(raw: unknown, otherwise: Role = 'user'): Message[] {
  if (typeof raw === 'string') return assemble(otherwise, text(raw));
  if (Array.isArray(raw) && isPair(raw)) return readFields({ role: raw[0], content: raw[1] }, otherwise);
  if (!isObject(raw)) return raw === null ? [] : [{ role: otherwise, content: [unknownItem(raw)] }];
  if (isLangChainMessage(raw)) {
    const fields = langChainFields(raw);
    return fields ? readFields(fields, otherwise) : [];
  }
  // OpenInference and choices nest the message.
  if (isObject(raw['message']) && raw['role'] === undefined) return readMessage(raw['message'], otherwise);
  return MESSAGE_KEYS.some((key) => key in raw)
    ? readFields(raw, otherwise)
    : [{ role: otherwise, content: [unknownItem(raw)] }];
}

const MESSAGE_KEYS = [
  'content',
  'contents',
  'parts',
  'tool_calls',
  'toolCalls',
  'function_call',
  'refusal',
  'audio',
];

/** `[role, content]` (contract §2.2). */
export const isPair = (value: unknown[]): boolean => value.length === 2 && roleOf(value[0]) !== undefined;

function readFields(fields: JsonObject, otherwise: Role): Message[] {
  const named = roleOf(fields['role']);
  const role = named?.role ?? otherwise;
  const calls = trailingPieces(fields);
  const content = readContent(fields['content'] ?? fields['contents'] ?? fields['parts']);
  const pieces = [...reasoningPieces(fields), ...withAnnotations(preferCalls(content, calls), fields)];
  const shown = new Set(pieces);
  const newCalls = calls.filter((call) => !shown.has(call));
  const messages = assemble(role, [...pieces, ...newCalls]);
  const own = messages.findIndex((message) => message.role === role);
  const message = finish(messages[own] ?? { role, content: [] }, fields, named?.keepsName || !named);
  if (own >= 0) return messages.map((one, index) => (index === own ? message : one));
  return messages.length > 0 ? messages : [message];
}

/** Prefers `tool_calls` over duplicate call blocks, which may be stream fragments. */
function preferCalls(content: Piece[], calls: Piece[]): Piece[] {
  const byId = new Map(calls.flatMap((call) => ('id' in call && call.id ? [[call.id, call] as const] : [])));
  if (byId.size === 0) return content;
  return content.map((piece) =>
    'type' in piece && piece.type === 'tool_call' ? (byId.get(piece.id ?? '') ?? piece) : piece,
  );
}

/** Moves annotations of the message to its text. */
function withAnnotations(pieces: Piece[], { annotations }: JsonObject): Piece[] {
  const notes = listOf(annotations).filter(isObject);
  const first =
    notes.length === 0 ? -1 : pieces.findIndex((piece) => 'type' in piece && piece.type === 'text');
  return pieces.map(
    (piece, index) => (index === first ? { ...(piece as ContentItem), annotations: notes } : piece) as Piece,
  );
}

function finish(message: Message, fields: JsonObject, keepsName: boolean): Message {
  const callId = textOf(fields['tool_call_id'], fields['toolCallId']);
  const isTool = message.role === 'tool';
  const usage = usageOf(fields['usage_metadata']);
  const extras = compact({
    ...(keepsName && { role: fields['role'] }),
    id: fields['id'],
    name: fields['name'],
    status: fields['status'] === 'success' ? undefined : fields['status'],
    phase: fields['phase'],
    cache_control: fields['cache_control'],
    ...(!isTool && { tool_call_id: callId }),
  });
  return {
    ...withExtras(message, extras),
    ...(isTool && message.tool_call_id === undefined && given('tool_call_id', callId)),
    ...given('usage_metadata', usage),
  };
}
