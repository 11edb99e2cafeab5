import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { objectsOf } from './json-shape.ts';
import { isLangChainMessage } from './langchain.ts';

interface ListFormat {
  name: string;
  /** Whether the message has this format. `body` is its surrounding object. */
  has: (message: JsonObject, body: JsonObject) => boolean;
}

/** Formats of message lists, most specific first. All are read the same way, because a list may mix them. */
const LISTS: ListFormat[] = [
  { name: 'langchain', has: isLangChainMessage },
  { name: 'otel', has: (one) => isObject(one['message']) || (hasParts(one) && blocks(one).some(isOtelPart)) },
  { name: 'gemini', has: (one) => hasParts(one) && blocks(one).every((part) => !part['type']) },
  { name: 'ai_sdk', has: (one, body) => hasParts(one) || 'finishReason' in body || isOfAiSdk(one) },
  { name: 'messages', has: (one, body) => isOfMessagesApi(body) || blocks(one).some(isMessagesBlock) },
  { name: 'platform', has: (one) => !one['tool_calls'] && blocks(one).some(({ type }) => ITEMS.has(type)) },
];

/** Detects the format of a list; chat completions are the default. */
export const listFormat = (entries: unknown[], body: JsonObject): string =>
  LISTS.find(({ has }) => entries.some((entry) => isObject(entry) && has(entry, body)))?.name ??
  'chat_completions';

const hasParts = (message: JsonObject): boolean => Array.isArray(message['parts']);
const blocks = (message: JsonObject): JsonObject[] => objectsOf(message['content'] ?? message['parts']);

const isOtelPart = ({ type, text }: JsonObject): boolean =>
  typeof type === 'string' && text === undefined && !/^(?:tool-|dynamic-tool|step-start)/.test(type);

const isOfAiSdk = (message: JsonObject): boolean =>
  'providerOptions' in message ||
  blocks(message).some(
    (part) => AI_SDK.has(part['type']) || 'mediaType' in part || 'providerOptions' in part,
  );
const AI_SDK = new Set<unknown>(['tool-call', 'tool-result', 'tool-error']);

const isOfMessagesApi = (body: JsonObject): boolean => 'stop_reason' in body || Array.isArray(body['system']);
const isMessagesBlock = ({ type, source, cache_control }: JsonObject): boolean =>
  isObject(source) || cache_control !== undefined || MESSAGES_API.has(type);
const MESSAGES_API = new Set<unknown>([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
]);

/** Item types that only the platform's format uses. */
const ITEMS = new Set<unknown>(
  'tool_call server_tool_call server_tool_result reasoning image audio video file'.split(' '),
);
