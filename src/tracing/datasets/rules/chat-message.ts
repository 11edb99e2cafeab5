import type { JsonObject } from '../../../platform/schema.ts';
import type { ContentItem, MediaItem, Message } from '../../messages/message.ts';
import { readMessage } from '../../messages/role-message.ts';

/**
 * Converts a message of any known format to chat-completions messages. One can yield several; reasoning yields none.
 */
export const chatMessages = (raw: unknown): JsonObject[] =>
  readMessage(raw)
    .filter(({ role }) => role !== 'reasoning')
    .map(chatMessage);

function chatMessage({ role, content, tool_call_id }: Message): JsonObject {
  const calls = content
    .filter((item) => item.type === 'tool_call')
    .map((call, index) => ({
      id: call.id ?? `call_${index}`,
      type: 'function',
      function: { name: call.name ?? '', arguments: JSON.stringify(call.args) },
    }));
  const parts = content.flatMap(partOf);
  const [only, ...others] = parts;
  const alone = others.length === 0 && only?.['type'] === 'text' ? only['text'] : undefined;
  return {
    role,
    content: parts.length === 0 ? (calls.length > 0 ? null : '') : (alone ?? parts),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  };
}

function partOf(item: ContentItem): JsonObject[] {
  switch (item.type) {
    case 'text':
      return [{ type: 'text', text: item.text }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: addressOf(item) } }];
    case 'audio':
      return [
        {
          type: 'input_audio',
          input_audio: { data: item.base64 ?? '', format: item.mime_type?.split('/')[1] ?? 'wav' },
        },
      ];
    case 'file':
    case 'video':
      return [{ type: 'file', file: item.id ? { file_id: item.id } : { file_data: addressOf(item) } }];
    default:
      return [];
  }
}

const addressOf = ({ url, base64, mime_type = 'application/octet-stream' }: MediaItem): string =>
  url ?? `data:${mime_type};base64,${base64 ?? ''}`;

/** Converts a tool of any known format to a chat-completions tool. */
export function chatTool(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw;
  const tool = raw as JsonObject;
  if (typeof tool['function'] === 'object') return { type: 'function', ...tool };
  const { name, description, input_schema, parameters, args_schema, inputSchema, strict } = tool;
  if (typeof name !== 'string') return raw;
  const schema = input_schema ?? parameters ?? args_schema ?? inputSchema;
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      ...(schema !== undefined && { parameters: schema }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}
