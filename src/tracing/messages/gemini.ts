import type { JsonObject } from '../../platform/schema.ts';
import { compact, given, isObject, objectOf, restOf, textOf } from './json-shape.ts';
import { kindOf, mediaItem } from './media.ts';
import {
  type Piece,
  type ReadContent,
  reasoning,
  serverToolCall,
  serverToolResult,
  text,
  toolCall,
  toolMessage,
} from './pieces.ts';

/** Calls of one turn that have no id are told apart by nothing. */
const CODE = 'code_execution';

/** A part of Gemini contents, told by which key it has, in both spellings; undefined for anything else. */
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

/** `contents`: a text, parts of one message, or messages; with what the model is told before them. */
export function geminiInputs(body: JsonObject): unknown[] | undefined {
  const { contents, config } = body;
  const isThere = typeof contents === 'string' || Array.isArray(contents) || isObject(contents);
  if (!isThere) return undefined;
  const told =
    body['systemInstruction'] ??
    body['system_instruction'] ??
    objectOf(config)['systemInstruction'] ??
    objectOf(config)['system_instruction'];
  const list = Array.isArray(contents) ? contents : [contents];
  const areMessages = list.some((entry) => isObject(entry) && 'parts' in entry);
  return [
    ...(told ? [{ role: 'system', parts: objectOf(told)['parts'] ?? told }] : []),
    ...(areMessages ? list : [{ role: 'user', parts: list }]),
  ];
}

/** One message per candidate. */
export function geminiOutputs(body: JsonObject): unknown[] | undefined {
  if (!Array.isArray(body['candidates'])) return undefined;
  return body['candidates']
    .filter(isObject)
    .map((candidate) => ({ role: 'assistant', ...objectOf(candidate['content']) }));
}
