import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { type Counts, readCount, readCounts, sumOf, type TokenUsage } from './token-usage.ts';

type Reader = (usage: JsonObject) => TokenUsage | undefined;

/**
 * Normalises token counts of any provider (contract §2.3). Undefined if there are none. Adds cache tokens to the
 * input only for providers that count them separately.
 */
export function readTokenUsage(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined;
  for (const read of READERS) {
    const usage = read(value);
    if (usage) return usage;
  }
  return undefined;
}

/** Anthropic: cache reads and writes are not included in `input_tokens`. */
const anthropic: Reader = (usage) => {
  const creation = map(usage, 'cache_creation');
  const isIt = 'cache_read_input_tokens' in usage || 'cache_creation_input_tokens' in usage;
  if ((!isIt && !creation) || !has(usage, 'input_tokens', 'output_tokens')) return undefined;
  const read = readCount(usage['cache_read_input_tokens']);
  const parts = { ...pick(creation, ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']) };
  const written = readCount(usage['cache_creation_input_tokens']) ?? sumOf(...Object.values(parts));
  return whole({
    input: sumOf(readCount(usage['input_tokens']), read, written),
    output: readCount(usage['output_tokens']),
    inputDetails: { cache_read: read, cache_creation: written, ...parts },
    outputDetails: { reasoning: readCount(map(usage, 'output_tokens_details')?.['thinking_tokens']) },
  });
};

/** The platform's `usage_metadata` and OpenAI's Responses, which differ only in detail names. */
const platform: Reader = (usage) => {
  if (!has(usage, 'input_tokens', 'output_tokens')) return undefined;
  return whole({
    input: readCount(usage['input_tokens']),
    output: readCount(usage['output_tokens']),
    total: readCount(usage['total_tokens']),
    inputDetails: {
      ...openaiDetails(usage['input_tokens_details']),
      ...readCounts(usage['input_token_details']),
    },
    outputDetails: {
      ...openaiDetails(usage['output_tokens_details']),
      ...readCounts(usage['output_token_details']),
    },
  });
};

/** OpenAI-compatible chat completions and LangChain's `tokenUsage`. */
const completions: Reader = (usage) => {
  if (!has(usage, 'prompt_tokens', 'completion_tokens', 'promptTokens', 'completionTokens')) return undefined;
  // Cache counts as named by DeepSeek, Moonshot and LiteLLM.
  const cached = ['prompt_cache_hit_tokens', 'cached_tokens', 'cache_read_input_tokens']
    .map((key) => readCount(usage[key]))
    .find(Boolean);
  return whole({
    input: readCount(usage['prompt_tokens'] ?? usage['promptTokens']),
    output: readCount(usage['completion_tokens'] ?? usage['completionTokens']),
    total: readCount(usage['total_tokens'] ?? usage['totalTokens']),
    inputDetails: {
      cache_read: cached,
      cache_creation: readCount(usage['cache_creation_input_tokens']),
      ...openaiDetails(usage['prompt_tokens_details']),
    },
    outputDetails: openaiDetails(usage['completion_tokens_details']),
  });
};

/** Gemini: thoughts are not included in candidates, nor tool prompts in the prompt. */
const gemini: Reader = (usage) => {
  const of = (camel: string) =>
    readCount(usage[camel] ?? usage[camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
  const [prompt, tools] = [of('promptTokenCount'), of('toolUsePromptTokenCount')];
  const [candidates, thoughts] = [of('candidatesTokenCount'), of('thoughtsTokenCount')];
  const total = of('totalTokenCount');
  if (sumOf(prompt, candidates, thoughts, total) === undefined) return undefined;
  return whole({
    input: sumOf(prompt, tools),
    output: sumOf(candidates, thoughts),
    total,
    inputDetails: {
      cache_read: of('cachedContentTokenCount'),
      ...modalities(usage['promptTokensDetails'] ?? usage['prompt_tokens_details']),
    },
    outputDetails: {
      reasoning: thoughts,
      ...modalities(usage['candidatesTokensDetails'] ?? usage['candidates_tokens_details']),
    },
  });
};

/** AI SDK: version 6 has an object per side, version 5 numbers. Both include cache tokens. */
const aiSdk: Reader = (usage) => {
  const [input, output] = [map(usage, 'inputTokens'), map(usage, 'outputTokens')];
  const isOlder = 'cachedInputTokens' in usage || 'reasoningTokens' in usage;
  if (!input && !output && !isOlder) return undefined;
  return whole({
    input: readCount(input ? input['total'] : usage['inputTokens']),
    output: readCount(output ? output['total'] : usage['outputTokens']),
    total: readCount(usage['totalTokens']),
    inputDetails: {
      cache_read: readCount(input ? input['cacheRead'] : usage['cachedInputTokens']),
      cache_creation: readCount(input?.['cacheWrite']),
    },
    outputDetails: { reasoning: readCount(output ? output['reasoning'] : usage['reasoningTokens']) },
  });
};

/** Bedrock: like Anthropic, cache tokens are not included in the input. */
const bedrock: Reader = (usage) => {
  if (!has(usage, 'inputTokens', 'outputTokens', 'inputTokenCount', 'outputTokenCount')) return undefined;
  const read = readCount(usage['cacheReadInputTokens'] ?? usage['cacheReadInputTokenCount']);
  const written = readCount(usage['cacheWriteInputTokens'] ?? usage['cacheWriteInputTokenCount']);
  return whole({
    input: sumOf(readCount(usage['inputTokens'] ?? usage['inputTokenCount']), read, written),
    output: readCount(usage['outputTokens'] ?? usage['outputTokenCount']),
    inputDetails: { cache_read: read, cache_creation: written },
    outputDetails: {},
  });
};

/** Ollama. */
const ollama: Reader = (usage) => {
  if (!has(usage, 'prompt_eval_count', 'eval_count')) return undefined;
  return whole({
    input: readCount(usage['prompt_eval_count']),
    output: readCount(usage['eval_count']),
    inputDetails: {},
    outputDetails: {},
  });
};

/** Cohere: counts are nested; billed units exclude tokens Cohere adds. */
const cohere: Reader = (usage) => {
  const tokens = map(usage, 'billed_units') ?? map(usage, 'tokens');
  return tokens && platform(tokens);
};

const totalOnly: Reader = (usage) => {
  const total = readCount(usage['total_tokens'] ?? usage['totalTokens']);
  return total === undefined ? undefined : whole({ total, inputDetails: {}, outputDetails: {} });
};

const READERS = [anthropic, platform, completions, gemini, aiSdk, bedrock, ollama, cohere, totalOnly];

interface Parts {
  input?: number | undefined;
  output?: number | undefined;
  total?: number | undefined;
  inputDetails: Record<string, number | undefined>;
  outputDetails: Record<string, number | undefined>;
}

/** Computes missing totals. */
function whole({ input, output, total, inputDetails, outputDetails }: Parts): TokenUsage | undefined {
  if (input === undefined && output === undefined && total === undefined) return undefined;
  const rest = (known: number | undefined) =>
    total !== undefined && known !== undefined && total >= known ? total - known : undefined;
  return {
    input_tokens: input ?? rest(output),
    output_tokens: output ?? rest(input),
    total_tokens: total ?? sumOf(input, output),
    input_token_details: known(inputDetails),
    output_token_details: known(outputDetails),
  };
}

const known = (details: Parts['inputDetails']): Counts =>
  Object.fromEntries(Object.entries(details).flatMap(([key, count]) => (count ? [[key, count]] : [])));

const has = (usage: JsonObject, ...keys: string[]): boolean =>
  keys.some((key) => readCount(usage[key]) !== undefined);

const map = (value: JsonObject, key: string): JsonObject | undefined => {
  const found = value[key];
  return isObject(found) ? found : undefined;
};

const pick = (counts: JsonObject | undefined, keys: string[]) =>
  Object.fromEntries(keys.map((key) => [key, readCount(counts?.[key])]));

const OPENAI_DETAILS = {
  cached_tokens: 'cache_read',
  cache_write_tokens: 'cache_creation',
  audio_tokens: 'audio',
  image_tokens: 'image',
  reasoning_tokens: 'reasoning',
};

const openaiDetails = (details: unknown): Counts =>
  Object.fromEntries(
    Object.entries(OPENAI_DETAILS).flatMap(([key, name]) => {
      const count = isObject(details) ? readCount(details[key]) : undefined;
      return count ? [[name, count]] : [];
    }),
  );

// Other modalities; the rest is text.
const MODALITIES = new Set(['audio', 'image', 'video']);

const modalities = (list: unknown): Counts => {
  const counts: Counts = {};
  for (const part of Array.isArray(list) ? list.slice(0, MODALITIES.size * 2) : []) {
    if (!isObject(part)) continue;
    const name = String(part['modality']).toLowerCase();
    const count = readCount(part['tokenCount'] ?? part['token_count']);
    if (count && MODALITIES.has(name)) counts[name] = (counts[name] ?? 0) + count;
  }
  return counts;
};
