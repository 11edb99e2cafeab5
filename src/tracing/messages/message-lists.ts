import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { geminiInstruction } from './gemini.ts';
import { listOf, objectOf, textOf } from './json-shape.ts';
import { isLangChainMessage } from './langchain.ts';
import { isPair } from './role-message.ts';
import { roleOf } from './roles.ts';

/** Whether a list under another key than `messages` contains messages. */
const looksLikeMessages = (list: unknown[]): boolean =>
  list.some((one) => isLangChainMessage(one) || (isObject(one) && roleOf(one['role']) !== undefined));

const toList = (value: unknown): unknown[] | undefined => {
  if (isObject(value)) return looksLikeMessages([value]) ? [value] : undefined;
  if (!Array.isArray(value)) return undefined;
  // LangChain logs batches: lists of conversations.
  const isBatch = value.length > 0 && value.every((one) => Array.isArray(one) && !isPair(one));
  return isBatch ? value.flat() : value;
};

/** Messages in inputs: a list, after any system instruction. */
export function messagesOfInputs(body: JsonObject): unknown[] | undefined {
  const { prompt } = body;
  const system = body['system'] ?? isGeminiUsage(body);
  const hasPrompt = Array.isArray(prompt) && looksLikeMessages(prompt);
  const list = toList(body['messages']) ?? (hasPrompt ? prompt : undefined);
  const messages =
    list ?? (system && typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : undefined);
  return messages && system ? [{ role: 'system', content: system }, ...messages] : messages;
}

const isGeminiUsage = (body: JsonObject): unknown => {
  const instruction = geminiInstruction(body);
  return objectOf(instruction)['parts'] ?? instruction;
};

/** Messages in outputs: a list, a single `message`, or role and content, flat or as a pair. */
export function messagesOfOutputs(body: JsonObject): unknown[] | undefined {
  const list = toList(body['messages']);
  if (list) return list;
  const { message, content, text, role } = body;
  if (Array.isArray(message) ? isPair(message) : isObject(message)) return [message];
  const isFlat =
    role !== undefined ? hasSaid(body) : isContent(content) && FINISHED.some((key) => key in body);
  if (isFlat || (Array.isArray(content) && content.every((part) => isObject(part) && part['type'])))
    return [roleOf(role) ? body : { ...body, role: 'assistant' }];
  // The result of generateText.
  if (typeof text === 'string' && (body['toolCalls'] || body['finishReason']))
    return [
      {
        role: 'assistant',
        content: text,
        reasoning: textOf(body['reasoningText']),
        tool_calls: listOf(body['toolCalls']),
      },
    ];
  return undefined;
}

const isContent = (content: unknown): boolean => typeof content === 'string' || Array.isArray(content);
const hasSaid = (body: JsonObject): boolean =>
  ['content', 'parts', 'tool_calls', 'function_call'].some((key) => key in body);
const FINISHED = ['tool_calls', 'stop_reason', 'finishReason', 'finish_reason'];

/** A bare list, which clients wrap in an object: a pair or messages. */
export function messagesAlone(list: unknown[]): JsonObject | undefined {
  if (isPair(list)) return { message: list };
  return looksLikeMessages(list) ? { messages: list } : undefined;
}
