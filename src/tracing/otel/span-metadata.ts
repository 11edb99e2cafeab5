import { isObject } from '../../platform/json-object.ts';
import { destinyOf, TABLES } from './attribute-tables.ts';
import { parsed, textOf } from './attribute-values.ts';
import { type Attributes, setAttribute } from './otel-span.ts';

// What a process is, not what it does: kept beside the run, and not searched.
const RUNTIME = /^(?:telemetry|process|host|os|container|k8s|cloud|faas)\./;
// They name themselves where the provider of the model stands: prices go by the model alone.
const FRAMEWORKS = new Set(['strands-agents']);
const JSON_VALUE = /^\s*[[{]/;

export interface Resource {
  metadata: Attributes;
  runtime: Attributes;
}

/** Parts the attributes of a resource, once for all its spans. */
export function readResource(attributes: Attributes): Resource {
  const resource: Resource = { metadata: {}, runtime: {} };
  for (const key in attributes)
    setAttribute(RUNTIME.test(key) ? resource.runtime : resource.metadata, key, attributes[key]);
  return resource;
}

/**
 * Metadata of a run (contract §1.9): what its attributes are called there, those of the resource, and every attribute
 * that nobody knows, as it came.
 */
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
  // What is said of metadata is said by the user; the rest by an instrument.
  return Object.assign(metadata, named);
}

/** Of what the AI SDK names, under whatever key, the provider is what stands before a dot: `openai.chat` is OpenAI's. */
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

/** Parameters of a call; undefined where there are none. */
export function paramsOf(attributes: Attributes): Attributes | undefined {
  const params: Attributes = {};
  for (const [key, name] of TABLES.params) {
    const said = parsed(attributes[key]);
    // Lists of attributes hold nothing but texts: JSON, where each is an object.
    const value = Array.isArray(said) ? said.map(jsonOf) : said;
    if (value === undefined || value === null || value === '') continue;
    if (name !== '') params[name] ??= value;
    else if (isObject(value)) Object.assign(params, { ...value, ...params });
  }
  const model = firstOf(attributes, TABLES.model);
  if (model !== undefined) params['model'] ??= model;
  return Object.keys(params).length > 0 ? params : undefined;
}

/** Joined by commas, or a list. */
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
