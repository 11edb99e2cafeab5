import { isObject } from '../../platform/json-object.ts';
import { inputText, outputText } from './estimated-text.ts';
import type { ModelOfRun } from './model-of-run.ts';
import { type TokenUsage } from './token-usage.ts';

// Tokens beyond this are extrapolated.
const MAX_CHARACTERS = 1_000_000;
// Encoding time grows faster than linearly with word length.
const PIECE = 2_000;
// Overhead of the chat format, per message and for the answer.
const PER_MESSAGE = 3;
const PER_ANSWER = 3;
// Correction for vocabularies other than o200k, by provider or model name.
const FACTORS: [RegExp, number][] = [
  [/claude|anthropic/i, 1.15],
  [/gemini|google|vertex/i, 1],
];

type Count = (text: string) => number;
let counting: Promise<Count> | undefined;

/** Loads the vocabulary on first use, because it is large. */
export function tokenCounter(): Promise<Count> {
  counting ??= import('gpt-tokenizer/encoding/o200k_base').then(
    ({ countTokens }) =>
      (text) =>
        // Treats text resembling special tokens as ordinary text.
        countTokens(text, { disallowedSpecial: new Set() }),
  );
  return counting;
}

/**
 * Estimates the tokens of a call that did not report usage (contract §2.4). Ignores media. Undefined without any
 * text, for example if inputs and outputs are hidden.
 */
export function estimateTokens(
  { inputs, outputs, model }: { inputs: unknown; outputs: unknown; model: ModelOfRun },
  count: Count,
): TokenUsage | undefined {
  const [input, output] = [inputText(inputs), outputText(outputs)];
  if (input.texts.length === 0 && output.texts.length === 0) return undefined;
  const called = `${model.provider ?? ''} ${model.names[0]?.name ?? ''}`;
  const factor = FACTORS.find(([pattern]) => pattern.test(called))?.[1] ?? 1;
  const isChat = isObject(inputs) && input.messages > 0;
  const overhead = isChat ? PER_MESSAGE * input.messages + PER_ANSWER : 0;
  const input_tokens = Math.round(factor * tokensOf(input.texts, count)) + overhead;
  const output_tokens = Math.round(factor * tokensOf(output.texts, count));
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_token_details: {},
    output_token_details: {},
  };
}

function tokensOf(texts: string[], count: Count): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  let [left, tokens] = [MAX_CHARACTERS, 0];
  for (const text of texts) {
    const counted = text.slice(0, left);
    for (let at = 0; at < counted.length; at += PIECE) tokens += count(counted.slice(at, at + PIECE));
    left -= counted.length;
    if (left === 0) break;
  }
  return characters > MAX_CHARACTERS ? (tokens * characters) / MAX_CHARACTERS : tokens;
}
