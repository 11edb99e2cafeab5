import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { compact, given, listOf, objectOf, objectsOf, restOf, textOf } from './json-shape.ts';
import { kindOf, mediaItem } from './media.ts';
import {
  type Blocks,
  type Piece,
  type ReadContent,
  reasoning,
  serverToolCall,
  serverToolResult,
  text,
  toolCall,
  toolMessage,
} from './pieces.ts';

/** Code-execution calls have no ids, so all share this one. */
const CODE = 'code_execution';

/** Reads a part of Gemini contents by its key, in camel or snake case. Undefined for anything else. */
export function readPart(part: JsonObject, read: ReadContent): Piece[] | undefined {
  const field = (camel: string, snake: string): JsonObject | undefined => {
    const value = part[camel] ?? part[snake];
    return isObject(value) ? value : undefined;
  };
  const signature = part['thoughtSignature'] ?? part['thought_signature'];
  const extras = compact({
    thoughtSignature: signature,
    videoMetadata: part['videoMetadata'] ?? part['video_metadata'],
  });
  if (typeof part['text'] === 'string')
    return part['thought'] === true ? reasoning(part['text'], extras) : text(part['text'], extras);
  const inline = field('inlineData', 'inline_data');
  const file = field('fileData', 'file_data');
  const data = inline ?? file;
  if (data) {
    const mime_type = textOf(data['mimeType'], data['mime_type']);
    const url = textOf(data['fileUri'], data['file_uri']);
    const name = textOf(data['displayName'], data['display_name']);
    return [
      mediaItem(
        kindOf(mime_type),
        { url, base64: data['data'], mime_type },
        compact({ ...extras, ...given('display_name', name) }),
      ),
    ];
  }
  const call = field('functionCall', 'function_call');
  if (call) return [toolCall(call['name'], call['args'], call['id'], extras)];
  const response = field('functionResponse', 'function_response');
  if (response)
    return [
      toolMessage(response['id'], response['response'], read, compact({ ...extras, name: response['name'] })),
    ];
  const code = field('executableCode', 'executable_code');
  if (code) return [serverToolCall(CODE, restOf(code, 'id'), textOf(code['id']) ?? CODE, extras)];
  const ran = field('codeExecutionResult', 'code_execution_result');
  if (!ran) return undefined;
  const isError = ran['outcome'] !== undefined && ran['outcome'] !== 'OUTCOME_OK';
  return [serverToolResult(textOf(ran['id']) ?? CODE, restOf(ran, 'id'), isError, extras)];
}

/** Parts as the SDK's Gemini wrapper logs them: typed, and in the chat-completions form where one exists. */
export const GEMINI_BLOCKS: Blocks = {
  text: (part, read) => (part['thought'] === true ? readPart(part, read) : undefined),
  function_response: readPart,
  executable_code: readPart,
  code_execution_result: readPart,
  file_data: ({ mime_type, file_uri }) => [mediaItem(kindOf(mime_type), { url: file_uri, mime_type })],
};

/** The system instruction. */
export const geminiInstruction = (body: JsonObject): unknown =>
  body['systemInstruction'] ??
  body['system_instruction'] ??
  objectOf(body['config'])['systemInstruction'] ??
  objectOf(body['config'])['system_instruction'];

/** `contents` (a text, parts of one message, or messages) after the system instruction. */
export function geminiInputs(body: JsonObject): unknown[] | undefined {
  const { contents } = body;
  const isThere = typeof contents === 'string' || Array.isArray(contents) || isObject(contents);
  if (!isThere) return undefined;
  const instruction = geminiInstruction(body);
  const list = Array.isArray(contents) ? contents : [contents];
  const areMessages = list.some((entry) => isObject(entry) && 'parts' in entry);
  return [
    ...(instruction ? [{ role: 'system', parts: objectOf(instruction)['parts'] ?? instruction }] : []),
    ...(areMessages ? list : [{ role: 'user', parts: list }]),
  ];
}

/** One message per candidate of a response or of its chunks. */
export function geminiOutputs(body: JsonObject): unknown[] | undefined {
  const chunks = [body, ...objectsOf(body['output']), ...objectsOf(body['outputs'])];
  const candidates = chunks.filter(({ candidates: some }) => Array.isArray(some));
  if (candidates.length === 0) return undefined;
  const parts = new Map<unknown, unknown[]>();
  for (const { index = 0, content } of candidates.flatMap((chunk) => objectsOf(chunk['candidates']))) {
    const turn = parts.get(index) ?? [];
    parts.set(index, turn);
    for (const part of listOf(objectOf(content)['parts'])) turn.push(part);
  }
  return [...parts.values()].map((turn) => ({ role: 'assistant', parts: joinTexts(turn) }));
}

/** Joins consecutive text parts, which streams split. */
function joinTexts(parts: unknown[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const part of objectsOf(parts)) {
    const last = joined.at(-1) ?? {};
    const [before, more] = [textOf(last['text']), textOf(part['text'])];
    const goesOn = before !== undefined && more !== undefined && last['thought'] === part['thought'];
    if (goesOn) joined.splice(-1, 1, { ...last, ...part, text: before + more });
    else joined.push(part);
  }
  return joined;
}
