import type { JsonObject } from '../../platform/schema.ts';
import { compact, given, jsonText, objectsOf, textOf } from './json-shape.ts';
import type { ContentItem, Message, Role, ToolCallItem } from './message.ts';
import { parseLooseText } from '../json/loose-json.ts';
import { isObject } from '../../platform/json-object.ts';

/** A converted block: items of the current message, or separate messages such as tool results. */
export type Piece = ContentItem | Message;
export type ReadContent = (content: unknown) => Piece[];
/** Undefined if the block belongs to another family. */
export type BlockReader = (block: JsonObject, read: ReadContent) => Piece[] | undefined;
export type Blocks = Record<string, BlockReader>;

const isMessage = (piece: Piece): piece is Message => 'role' in piece;

/** Groups items into messages of this role. Separate messages keep their position and split the groups. */
export function assemble(role: Role, pieces: Piece[]): Message[] {
  const messages: Message[] = [];
  let open: Message | undefined;
  for (const piece of pieces) {
    if (isMessage(piece)) {
      messages.push(piece);
      open = undefined;
    } else if (open) open.content.push(piece);
    else messages.push((open = { role, content: [piece] }));
  }
  return messages;
}

export const itemsOf = (pieces: Piece[]): ContentItem[] =>
  pieces.flatMap((piece) => (isMessage(piece) ? piece.content : [piece]));

export const text = (value: string, extras?: JsonObject, annotations?: unknown): ContentItem[] => {
  const notes = objectsOf(annotations);
  return value === '' && notes.length === 0 && !extras
    ? []
    : [
        {
          type: 'text',
          text: value,
          ...(notes.length > 0 && { annotations: notes }),
          ...given('extras', extras),
        },
      ];
};

export const reasoning = (value: string, extras?: JsonObject): ContentItem[] =>
  value === '' && !extras ? [] : [{ type: 'reasoning', text: value, ...given('extras', extras) }];

/** Preserves an unknown value as JSON text (contract §2.2). */
export const unknownItem = (value: unknown): ContentItem => ({
  type: 'text',
  text: jsonText(value),
  extras: { unknown: true },
});

/** Arguments as an object or its JSON text. */
export function argumentsOf(raw: unknown): JsonObject {
  if (isObject(raw)) return raw;
  if (raw === undefined || raw === null || raw === '') return {};
  const json = typeof raw === 'string' ? parseLooseText(raw) : undefined;
  const parsed = json?.isDeep ? undefined : json?.value;
  return isObject(parsed) ? parsed : { __raw: raw };
}

export const toolCall = (name: unknown, args: unknown, id: unknown, extras?: JsonObject): ToolCallItem => ({
  type: 'tool_call',
  ...given('name', textOf(name)),
  args: argumentsOf(args),
  ...given('id', textOf(id)),
  ...given('extras', extras),
});

export const serverToolCall = (
  name: unknown,
  args: unknown,
  id: unknown,
  extras?: JsonObject,
): ContentItem => ({
  type: 'server_tool_call',
  id: textOf(id) ?? '',
  name: textOf(name) ?? '',
  args: argumentsOf(args),
  ...given('extras', extras),
});

export const serverToolResult = (
  callId: unknown,
  output: unknown,
  isError: boolean,
  extras?: JsonObject,
): ContentItem => ({
  type: 'server_tool_result',
  tool_call_id: textOf(callId) ?? '',
  status: isError ? 'error' : 'success',
  output: output ?? null,
  ...given('extras', extras),
});

/** A tool result as a message: text, blocks, or JSON for anything else. */
export function toolMessage(
  callId: unknown,
  output: unknown,
  read: ReadContent,
  extras?: JsonObject,
): Message {
  const content = itemsOf(isContent(output) ? read(output) : [{ type: 'text', text: jsonText(output) }]);
  return withExtras(
    { role: 'tool', content, ...given('tool_call_id', textOf(callId)) },
    compact(extras ?? {}),
  );
}

const isContent = (output: unknown): boolean =>
  typeof output === 'string' ||
  output === undefined ||
  output === null ||
  (Array.isArray(output) && output.every((block) => isObject(block) && typeof block['type'] === 'string'));

/** Attaches message-level extras to the first item, because messages have no such field. */
export function withExtras(message: Message, extras: JsonObject | undefined): Message {
  const [first = { type: 'text', text: '' } satisfies ContentItem, ...others] = message.content;
  if (!extras) return message;
  return { ...message, content: [{ ...first, extras: { ...extras, ...first.extras } }, ...others] };
}
