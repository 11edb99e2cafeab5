import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { choices, completions, prompts } from './completions.ts';
import { geminiInputs, geminiOutputs } from './gemini.ts';
import { textOf } from './json-shape.ts';
import { langChainBody } from './langchain.ts';
import { listFormat } from './list-formats.ts';
import type { Message } from './message.ts';
import { mergeEvents } from './messages-events.ts';
import { messagesAlone, messagesOfInputs, messagesOfOutputs } from './message-lists.ts';
import { readItems, responsesInputs, responsesOutputs } from './responses-bodies.ts';
import { readMessage } from './role-message.ts';
import { toolInputs, toolOutputs } from './tool-run.ts';

/** The parts of a run that messages are read from. */
export interface RunBodies {
  run_type?: string | null | undefined;
  name?: string | null | undefined;
  inputs?: unknown;
  outputs?: unknown;
}
export type Side = 'inputs' | 'outputs';

/** Extracts the raw messages of a body. Undefined if the body has another shape. */
type Entries = (body: JsonObject, run: RunBodies) => unknown[] | undefined;
type Read = (entries: unknown[]) => Message[];
interface Shape {
  name: string;
  inputs?: Entries;
  outputs?: Entries;
  /** Reads related entries together. By default each is a message. */
  read?: Read;
}

/** All supported formats (contract §2.1); the first match wins. Message lists are inspected last. */
const SHAPES: Shape[] = [
  { name: 'tool', inputs: toolInputs, outputs: toolOutputs },
  { name: 'langchain', inputs: langChainBody, outputs: langChainBody },
  { name: 'gemini', inputs: geminiInputs, outputs: geminiOutputs },
  { name: 'responses', inputs: responsesInputs, outputs: responsesOutputs, read: readItems },
  { name: 'completions', inputs: prompts, outputs: completions },
  { name: 'chat_completions', outputs: choices },
  { name: 'messages', outputs: mergeEvents },
  { name: 'list', inputs: messagesOfInputs, outputs: messagesOfOutputs },
  { name: 'text', inputs: textAlone, outputs: textAlone },
];

export interface Recognised {
  /** Null without content, `unknown` if not recognised. Inspects every message of a list. */
  format: () => string | null;
  body: JsonObject;
  entries: unknown[];
  read: Read;
}

/** Detects a body's format by its shape. */
export function recognise(run: RunBodies, side: Side): Recognised {
  const value = run[side];
  const body = isObject(value) ? value : Array.isArray(value) ? { [side]: value } : {};
  const readEach: Read = (entries) =>
    entries.flatMap((entry) => readMessage(entry, side === 'inputs' ? 'user' : 'assistant'));
  for (const candidate of unwrapped(body))
    for (const { name, read = readEach, ...shape } of SHAPES) {
      const entries = shape[side]?.(candidate, run);
      if (!entries) continue;
      const format = () => (name === 'list' ? listFormat(entries, candidate) : name);
      return { format, body: candidate, entries, read };
    }
  const isEmpty = Object.keys(body).length === 0;
  return { format: () => (isEmpty ? null : 'unknown'), body, entries: [], read: readEach };
}

const WRAPPERS = ['output', 'outputs', 'input', 'inputs'];

/** The body, then its content if it is only a wrapper around a non-object. */
function unwrapped(body: JsonObject): JsonObject[] {
  const [key = '', ...others] = Object.keys(body);
  if (others.length > 0) return [body];
  const inner = WRAPPERS.includes(key) ? body[key] : undefined;
  const alone = Array.isArray(inner) ? messagesAlone(inner) : inner;
  return isObject(alone) ? [body, alone] : [body];
}

/** A lone text counts as a message only for model runs. */
function textAlone(body: JsonObject, { run_type }: RunBodies): unknown[] | undefined {
  const text = run_type === 'llm' ? aloneText(body) : undefined;
  return text === undefined ? undefined : [text];
}

// Keys about the call rather than its content.
const CALL_KEYS = new Set(['model', 'usage', 'usage_metadata']);

/** The only text of a body. */
export function aloneText(body: JsonObject): string | undefined {
  const [key = '', ...others] = Object.keys(body).filter((name) => !CALL_KEYS.has(name));
  return others.length === 0 ? textOf(body[key]) : undefined;
}
