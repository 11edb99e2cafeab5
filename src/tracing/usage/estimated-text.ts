import { isObject } from '../../platform/json-object.ts';

/** Text to count tokens in, and the number of messages. */
export interface EstimatedText {
  texts: string[];
  messages: number;
}

// Keys whose values a model reads or writes; other keys are settings.
const words = (text: string): string[] => text.split(/\s+/);
const INPUT_KEYS =
  words(`messages prompt prompts input contents system systemInstruction instructions tools functions
text question query`);
const OUTPUT_KEYS =
  words(`generations choices message messages content output candidates text completion tool_calls
response parts reasoning_content`);
const MESSAGE_LISTS = ['messages', 'contents', 'input'];
// Names, media and duplicates.
const SKIPPED = new Set(
  words(`id type role object index lc mime_type mimeType media_type url data base64 image_url input_audio source file
file_data fileData inlineData inline_data signature thoughtSignature encrypted_content additional_kwargs
response_metadata usage_metadata usage metadata extras annotations invalid_tool_calls tool_call_chunks tool_call_id
finish_reason stop_reason logprobs generation_info generationInfo model status call_id cache_control`),
);
// Models read these as JSON.
const AS_JSON = new Set(['args', 'arguments', 'parameters', 'input_schema', 'schema', 'tools', 'functions']);
const MAX_DEPTH = 50;
const MEDIA = /^data:[^,]{0,200};base64,/;

export function inputText(inputs: unknown): EstimatedText {
  const found: EstimatedText = { texts: [], messages: 0 };
  if (!isObject(inputs)) return walk(inputs, found, MAX_DEPTH);
  const lists = MESSAGE_LISTS.map((key) => inputs[key]).filter(Array.isArray) as unknown[][];
  found.messages = lists[0]?.flat().length ?? 1;
  const keys = INPUT_KEYS.filter((key) => key in inputs);
  if (keys.length === 0) return walk(inputs, found, MAX_DEPTH);
  for (const key of keys) add(key, inputs[key], found, MAX_DEPTH);
  return found;
}

export function outputText(outputs: unknown): EstimatedText {
  const found: EstimatedText = { texts: [], messages: 0 };
  // A pair of role and content.
  if (Array.isArray(outputs) && outputs.length === 2 && typeof outputs[0] === 'string')
    return walk(outputs[1], found, MAX_DEPTH);
  if (!isObject(outputs)) return walk(outputs, found, MAX_DEPTH);
  const keys = OUTPUT_KEYS.filter((key) => key in outputs);
  if (keys.length === 0) return walk(outputs, found, MAX_DEPTH);
  for (const key of keys) add(key, outputs[key], found, MAX_DEPTH);
  return found;
}

function add(key: string, value: unknown, found: EstimatedText, depth: number): void {
  if (value === null || value === undefined || SKIPPED.has(key)) return;
  if (AS_JSON.has(key) && typeof value === 'object') found.texts.push(JSON.stringify(value));
  else walk(value, found, depth);
}

function walk(value: unknown, found: EstimatedText, depth: number): EstimatedText {
  if (typeof value === 'string') {
    if (value !== '' && !MEDIA.test(value)) found.texts.push(value);
  } else if (depth > 0 && Array.isArray(value)) for (const item of value) walk(item, found, depth - 1);
  else if (depth > 0 && isObject(value))
    for (const [key, item] of Object.entries(value))
      // LangChain repeats the text of a generation next to its message.
      if (!(key === 'text' && isObject(value['message']))) add(key, item, found, depth - 1);
  return found;
}
