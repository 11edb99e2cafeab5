import { type Static, Type } from 'typebox';
import { JsonObject, StringEnum } from '../../platform/schema.ts';

const strict = { additionalProperties: false };
const Text = Type.String();
const MaybeText = Type.Optional(Type.String());
// Provider fields without a counterpart. The first item also holds those of the message.
const extras = Type.Optional(JsonObject);

/** Roles of the platform's message format (contract §2.2). */
export const Role = StringEnum(['system', 'reasoning', 'user', 'assistant', 'tool']);
export type Role = Static<typeof Role>;

export const TextItem = Type.Object(
  { type: Type.Literal('text'), text: Text, annotations: Type.Optional(Type.Array(JsonObject)), extras },
  strict,
);
export const ReasoningItem = Type.Object({ type: Type.Literal('reasoning'), text: Text, extras }, strict);
/** By URL, by content (`base64`), or by `id` of data stored elsewhere. */
export const MediaItem = Type.Object(
  {
    type: StringEnum(['image', 'file', 'audio', 'video']),
    url: MaybeText,
    base64: MaybeText,
    id: MaybeText,
    mime_type: MaybeText,
    extras,
  },
  strict,
);
/** Arguments other than JSON objects are kept as `{"__raw": …}` (contract §2.2). */
export const ToolCallItem = Type.Object(
  { type: Type.Literal('tool_call'), name: MaybeText, args: JsonObject, id: MaybeText, extras },
  strict,
);
/** A call that the provider executes. */
export const ServerToolCallItem = Type.Object(
  { type: Type.Literal('server_tool_call'), id: Text, name: Text, args: JsonObject, extras },
  strict,
);
export const ServerToolResultItem = Type.Object(
  {
    type: Type.Literal('server_tool_result'),
    tool_call_id: Text,
    id: MaybeText,
    status: StringEnum(['success', 'error']),
    output: Type.Unknown(),
    extras,
  },
  strict,
);

/** Content item types. Unknown ones are text items with their JSON and `extras.unknown`. */
export const ContentItem = Type.Union([
  TextItem,
  ReasoningItem,
  MediaItem,
  ToolCallItem,
  ServerToolCallItem,
  ServerToolResultItem,
]);
export type TextItem = Static<typeof TextItem>;
export type MediaItem = Static<typeof MediaItem>;
export type ToolCallItem = Static<typeof ToolCallItem>;
export type ContentItem = Static<typeof ContentItem>;

const Count = Type.Integer({ minimum: 0 });
/** Token counts. Details and costs are kept as logged (contract §2.3). */
export const MessageUsage = Type.Object({ input_tokens: Count, output_tokens: Count, total_tokens: Count });
export type MessageUsage = Static<typeof MessageUsage> & JsonObject;

/** A message in the platform's format. Only role `tool` has `tool_call_id`. */
export const Message = Type.Object(
  {
    role: Role,
    content: Type.Array(ContentItem),
    tool_call_id: MaybeText,
    usage_metadata: Type.Optional(MessageUsage),
  },
  strict,
);
export interface Message {
  role: Role;
  content: ContentItem[];
  tool_call_id?: string;
  usage_metadata?: MessageUsage;
}
