import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { readTokenUsage } from './provider-usage.ts';
import { readStatedCosts, type StatedCosts, type TokenUsage } from './token-usage.ts';

/** Data of a run in which usage may be found. */
export interface RunContents {
  run_type: string | null | undefined;
  inputs: unknown;
  outputs: unknown;
  metadata: JsonObject | null | undefined;
  /** Without metadata. */
  extra: unknown;
}

export interface FoundUsage {
  tokens: TokenUsage | undefined;
  costs: StatedCosts | undefined;
}

const MODEL_CALLS = new Set(['llm', 'embedding']);
export const isModelCall = (runType: string | null | undefined): boolean => MODEL_CALLS.has(runType ?? '');

/**
 * Tokens and stated costs of a run from the first source that has them (contract §2.3). Runs other than model calls
 * count only stated usage, because their outputs may repeat that of nested calls.
 */
export function usageOf({ run_type, outputs, metadata }: RunContents): FoundUsage {
  const stated = metadata?.['usage_metadata'];
  if (!isModelCall(run_type)) {
    const own = isObject(outputs) ? outputs['usage_metadata'] : undefined;
    return firstOf(isObject(own) && readStatedCosts(own) ? [own, stated] : [stated]);
  }
  const root = isObject(outputs) ? outputs : undefined;
  const message = messageOf(outputs);
  return firstOf([
    root?.['usage_metadata'],
    message?.['usage_metadata'],
    stated,
    ...providerUsage(root),
    ...providerUsage(message),
  ]);
}

function firstOf(sources: unknown[]): FoundUsage {
  const found: FoundUsage = { tokens: undefined, costs: undefined };
  for (const source of sources) {
    found.tokens ??= readTokenUsage(source);
    found.costs ??= isObject(source) ? readStatedCosts(source) : undefined;
    if (found.tokens && found.costs) break;
  }
  return found;
}

/** Locations where providers and integrations report usage, most specific first. */
function* providerUsage(value: JsonObject | undefined): Generator<unknown> {
  if (!value) return;
  yield value['usage'];
  yield value['usageMetadata'];
  yield value['tokenUsage'];
  yield value['token_usage'];
  for (const key of ['llm_output', 'llmOutput', 'response_metadata', 'response', 'meta', 'metadata']) {
    const within = value[key];
    if (!isObject(within)) continue;
    for (const name of ['token_usage', 'tokenUsage', 'estimatedTokenUsage', 'usage', 'usage_metadata'])
      yield within[name];
    yield within['usageMetadata'];
    yield within['amazon-bedrock-invocationMetrics'];
    if (key === 'meta') yield within;
    if ('eval_count' in within) yield within;
  }
  if ('eval_count' in value) yield value;
}

/** The model's response message with its usage; undefined if there is none. */
export function messageOf(outputs: unknown): JsonObject | undefined {
  if (Array.isArray(outputs)) return lastAnswer(outputs);
  if (!isObject(outputs)) return undefined;
  const generation = firstItem(firstItem(outputs['generations']));
  const choice = firstItem(outputs['choices']);
  return (
    fieldsOf(isObject(generation) ? generation['message'] : undefined) ??
    fieldsOf(isObject(choice) ? choice['message'] : undefined) ??
    fieldsOf(outputs['message']) ??
    lastAnswer(outputs['messages']) ??
    fieldsOf(outputs['output']) ??
    (outputs['lc'] ? fieldsOf(outputs) : undefined) ??
    (isObject(outputs['response_metadata']) ? outputs : undefined)
  );
}

const firstItem = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

const ANSWERS = /^(?:assistant|ai|AIMessage(?:Chunk)?)$/;

function lastAnswer(list: unknown): JsonObject | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const item of list.slice(-20).toReversed()) {
    const fields = fieldsOf(item);
    if (!fields || !isObject(item)) continue;
    const path: unknown = item['id'];
    const kind = Array.isArray(path) ? (path.at(-1) as unknown) : (fields['role'] ?? fields['type']);
    if (typeof kind === 'string' && ANSWERS.test(kind)) return fields;
  }
  return undefined;
}

/** Fields of a message without LangChain's wrapper. */
function fieldsOf(message: unknown): JsonObject | undefined {
  if (!isObject(message)) return undefined;
  for (const key of ['kwargs', 'data']) if (isObject(message[key])) return message[key];
  return message;
}
