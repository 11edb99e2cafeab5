import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { listOf, objectOf, objectsOf, restOf, textOf } from './json-shape.ts';
import { kindOf, mediaItem } from './media.ts';
import type { MediaItem } from './message.ts';
import { type BlockReader, type Blocks, type Piece, reasoning, text, toolCall } from './pieces.ts';

/** `{[key]: "https:…"}` or `{[key]: {url, detail}}`. */
const byAddress =
  (type: MediaItem['type'], key: string): BlockReader =>
  (block) => {
    const value = block[key];
    const url = textOf(value, objectOf(value)['url']);
    if (url === undefined) return undefined;
    return [mediaItem(type, { url }, restOf({ ...objectOf(value), ...block }, key, 'url'))];
  };

/** Content parts of the chat completions API. */
export const CHAT_BLOCKS: Blocks = {
  image_url: byAddress('image', 'image_url'),
  video_url: byAddress('video', 'video_url'),
  audio_url: byAddress('audio', 'audio_url'),
  input_audio: (block) => {
    const { data, format } = objectOf(block['input_audio']);
    const mime_type = typeof format === 'string' ? `audio/${format}` : undefined;
    return typeof data === 'string'
      ? [mediaItem('audio', { base64: data, mime_type }, restOf(block, 'input_audio'))]
      : undefined;
  },
  file: (block) => {
    if (!isObject(block['file'])) return undefined;
    const { file_id, file_data, filename } = block['file'];
    const extras = restOf({ ...block, filename }, 'file');
    const item = mediaItem('file', { url: file_data, id: file_id }, extras);
    return [{ ...item, type: kindOf(item.mime_type) }];
  },
  refusal: (block) => {
    const refusal = textOf(block['refusal'], block['text']);
    return refusal === undefined ? undefined : text(refusal, { refusal: true });
  },
};

/** Reasoning fields of a message, which are shown before its content. */
export function reasoningPieces(message: JsonObject): Piece[] {
  const thinking = textOf(message['reasoning_content'], message['reasoning'], message['thinking']);
  const details = objectsOf(message['reasoning_details']);
  if (details.length > 0)
    return details.flatMap((detail) =>
      reasoning(textOf(detail['text'], detail['summary']) ?? '', restOf(detail, 'text', 'summary')),
    );
  if (thinking !== undefined) return reasoning(thinking);
  const summaries = objectsOf(objectOf(message['reasoning'])['summary']);
  return summaries.flatMap((summary) => reasoning(textOf(summary['text']) ?? ''));
}

/** Refusal, audio transcript and tool calls of a message, which are shown after its content. */
export function trailingPieces(message: JsonObject): Piece[] {
  const { refusal, function_call } = message;
  const audio = objectOf(message['audio']);
  const isSpoken = typeof audio['id'] === 'string' || typeof audio['data'] === 'string';
  return [
    ...(typeof refusal === 'string' && refusal ? text(refusal, { refusal: true }) : []),
    ...(isSpoken
      ? [mediaItem('audio', { base64: audio['data'], id: audio['id'] }, restOf(audio, 'data', 'id'))]
      : []),
    ...listOf(message['tool_calls'] ?? message['toolCalls']).flatMap(readCall),
    ...(isObject(function_call)
      ? [toolCall(function_call['name'], function_call['arguments'], undefined)]
      : []),
    ...objectsOf(message['invalid_tool_calls']).map(invalidCall),
  ];
}

/** A call whose arguments are not valid JSON; they stay text. */
export const invalidCall = ({ name, args, id, error }: JsonObject): Piece =>
  toolCall(name, { __raw: args ?? '' }, id, { error: error ?? null });

/** Reads a call as written by chat completions, LangChain, AI SDK and OpenInference. */
function readCall(raw: unknown): Piece[] {
  if (!isObject(raw)) return [];
  const call = isObject(raw['tool_call']) ? raw['tool_call'] : raw;
  const made = isObject(call['function']) ? call['function'] : objectOf(call['custom']);
  const name = textOf(made['name'], call['name'], call['toolName']);
  const id = textOf(call['id'], call['toolCallId'], call['call_id']);
  // Custom tools take free-form text.
  const args = isObject(call['custom'])
    ? { input: made['input'] }
    : (made['arguments'] ?? call['args'] ?? call['input'] ?? call['arguments']);
  return [toolCall(name, args, id, restOf({ extras: call['extra_content'] }))];
}
