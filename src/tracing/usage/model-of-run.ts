import type { JsonObject } from '../../platform/schema.ts';
import { storableText } from '../../platform/storable-text.ts';
import { isObject } from '../../platform/json-object.ts';

import { messageOf, type RunContents } from './usage-sources.ts';

/** Keys under which clients name a model. A price lists the keys it matches. */
export const MODEL_KEYS = ['model', 'model_name', 'model_id', 'model_path', 'endpoint_name'] as const;

export interface NamedModel {
  /** One of MODEL_KEYS; undefined for `ls_model_name`, which all prices match. */
  key: string | undefined;
  name: string;
}

export interface ModelOfRun {
  provider: string | undefined;
  /** All names of the model, most specific first. Tokens are estimated for the first. */
  names: NamedModel[];
}

const MAX_NAME_LENGTH = 200;
// Spellings of Gemini and Bedrock.
const SPELLINGS: Record<string, string> = { modelVersion: 'model', modelId: 'model_id' };

/**
 * Finds model and provider: first in order of precedence, then names used only for price lookup (contract §2.3).
 */
export function modelOf({ inputs, outputs, metadata, extra }: RunContents): ModelOfRun {
  const request = isObject(inputs) ? inputs : {};
  const params = isObject(extra) && isObject(extra['invocation_params']) ? extra['invocation_params'] : {};
  const called = metadata?.['ls_invocation_params'];
  const answer = messageOf(outputs);
  const sources: [unknown, readonly string[]][] = [
    [request, [...MODEL_KEYS, 'modelId']],
    [params, MODEL_KEYS],
    [called, MODEL_KEYS],
    // The exact model version in the response.
    [outputs, ['model', 'model_name', 'modelVersion']],
    [answer?.['response_metadata'], ['model', 'model_name', 'model_id']],
    [isObject(outputs) ? outputs['llm_output'] : undefined, ['model', 'model_name']],
  ];
  const names: NamedModel[] = [{ key: undefined, name: textOf(metadata?.['ls_model_name']) }];
  for (const [source, keys] of sources)
    if (isObject(source))
      for (const key of keys) names.push({ key: SPELLINGS[key] ?? key, name: textOf(source[key]) });
  const stated = textOf(metadata?.['ls_provider']) || textOf(params['provider']);
  return { provider: stated || undefined, names: distinct(names) };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? storableText(value.trim().slice(0, MAX_NAME_LENGTH)) : '';

const distinct = (names: NamedModel[]): NamedModel[] =>
  names.filter(
    ({ key, name }, index) =>
      name !== '' && names.findIndex((other) => other.key === key && other.name === name) === index,
  );

/** Serialises the model for storage with a run. */
export function writeModel({ provider, names }: ModelOfRun): JsonObject {
  const [first] = names;
  if (!first) return provider ? { provider } : {};
  const others = names.some(({ name }) => name !== first.name);
  return {
    model: first.name,
    ...(provider && { provider }),
    ...((others || first.key) && { models: names.map(({ key, name }) => [key ?? null, name]) }),
  };
}

/** Reverses writeModel. */
export function readModel(usage: JsonObject | null): ModelOfRun {
  const { model, models, provider } = usage ?? {};
  const listed = Array.isArray(models) ? (models as [string | null, string][]) : [];
  return {
    provider: typeof provider === 'string' ? provider : undefined,
    names: listed.length
      ? listed.map(([key, name]) => ({ key: key ?? undefined, name }))
      : typeof model === 'string'
        ? [{ key: undefined, name: model }]
        : [],
  };
}
