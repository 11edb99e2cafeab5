import { isObject } from '../../platform/json-object.ts';
import { destinyOf, TABLES } from './attribute-tables.ts';
import { parsed, textOf } from './attribute-values.ts';
import { type Attributes, setAttribute } from './otel-span.ts';

// Attributes of the process, stored with the run but not searched.
const RUNTIME = /^(?:telemetry|process|host|os|container|k8s|cloud|faas)\./;
// Frameworks that send their own name as the provider. Prices then depend on the model only.
const FRAMEWORKS = new Set(['strands-agents']);
const JSON_VALUE = /^\s*[[{]/;

export interface Resource {
  metadata: Attributes;
  runtime: Attributes;
}

/** Splits the attributes of a resource, once for all its spans. */
export function readResource(attributes: Attributes): Resource {
  const resource: Resource = { metadata: {}, runtime: {} };
  for (const key in attributes)
    setAttribute(RUNTIME.test(key) ? resource.runtime : resource.metadata, key, attributes[key]);
  return resource;
}

/** Metadata of a run (contract §1.9): renamed attributes, resource attributes, and unknown attributes unchanged. */
export function metadataOf(attributes: Attributes, resource: Resource, isUsageTaken: boolean): Attributes {
  const metadata: Attributes = { ...resource.metadata };
  const named: Attributes = {};
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined || value === null) continue;
    const { to, name } = destinyOf(key);
    if (to === 'body' || to === 'taken' || (to === 'usage' && isUsageTaken)) continue;
    if (name === undefined) setAttribute(metadata, key, value);
    else if (name !== '') setAttribute(named, name, jsonOf(value));
    else {
      const whole = parsed(value);
      if (isObject(whole)) Object.assign(named, whole);
    }
  }
  const provider = providerOf(attributes);
  const model = modelOf(attributes);
  if (provider !== undefined) metadata['ls_provider'] = provider;
  else for (const key of TABLES.provider) if (attributes[key] !== undefined) metadata[key] = attributes[key];
  if (model !== undefined) metadata['ls_model_name'] = model;
  // User-provided metadata wins over that of instrumentations.
  return Object.assign(metadata, named);
}

/** The AI SDK appends the API to the provider: `openai.chat` is OpenAI. */
function providerOf(attributes: Attributes): string | undefined {
  const provider = firstOf(attributes, TABLES.provider);
  if (provider !== undefined && FRAMEWORKS.has(provider)) return undefined;
  return provider === textOf(attributes['ai.model.provider']) ? provider?.split('.')[0] : provider;
}

const firstOf = (attributes: Attributes, keys: readonly string[]): string | undefined => {
  for (const key of keys) {
    const text = textOf(attributes[key]);
    if (text !== undefined) return text;
  }
  return undefined;
};

const modelOf = (attributes: Attributes): string | undefined =>
  firstOf(attributes, TABLES.model) ?? responseModelOf(attributes) ?? textOf(paramsOf(attributes)?.['model']);

export const responseModelOf = (attributes: Attributes): string | undefined =>
  firstOf(attributes, TABLES.responseModel);

/** Call parameters; undefined if there are none. */
export function paramsOf(attributes: Attributes): Attributes | undefined {
  const params: Attributes = {};
  for (const [key, name] of TABLES.params) {
    const attribute = parsed(attributes[key]);
    // List attributes contain only strings: the JSON of each object.
    const value = Array.isArray(attribute) ? attribute.map(jsonOf) : attribute;
    if (value === undefined || value === null || value === '') continue;
    if (name !== '') params[name] ??= value;
    else if (isObject(value)) Object.assign(params, { ...value, ...params });
  }
  const model = firstOf(attributes, TABLES.model);
  if (model !== undefined) params['model'] ??= model;
  return Object.keys(params).length > 0 ? params : undefined;
}

/** Accepts a list or comma-separated text. */
export function tagsOf(attributes: Attributes): string[] | undefined {
  const tags = TABLES.tags.flatMap((key) => {
    const value = parsed(attributes[key]);
    const list: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
    return list.flatMap((tag) => textOf(tag)?.trim() || []);
  });
  return tags.length > 0 ? tags : undefined;
}

const jsonOf = (value: unknown): unknown =>
  typeof value === 'string' && JSON_VALUE.test(value) ? parsed(value) : value;
