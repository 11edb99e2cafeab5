import type { BodySource, Family } from './family.ts';
import { genAi } from './families/gen-ai.ts';
import { langsmith } from './families/langsmith.ts';
import { liteLlm } from './families/litellm.ts';
import { logfire } from './families/logfire.ts';
import { openInference } from './families/openinference.ts';
import { traceloop } from './families/traceloop.ts';
import { vercel } from './families/vercel.ts';

// In order of precedence.
const FAMILIES: readonly Family[] = [langsmith, liteLlm, genAi, openInference, vercel, traceloop, logfire];

const listed = <Item>(field: (family: Family) => readonly Item[] | undefined): readonly Item[] =>
  FAMILIES.flatMap((family) => field(family) ?? []);
const paired = (field: (family: Family) => Record<string, string> | undefined): readonly [string, string][] =>
  FAMILIES.flatMap((family) => Object.entries(field(family) ?? {}));

/** The merged tables of all families. */
export const TABLES = {
  inputs: listed(({ inputs }) => inputs),
  outputs: listed(({ outputs }) => outputs),
  provider: listed(({ provider }) => provider),
  model: listed(({ model }) => model),
  responseModel: listed(({ response_model }) => response_model),
  params: paired(({ params }) => params),
  usage: paired(({ usage }) => usage),
  tags: listed(({ tags }) => tags),
  tokenEvents: new Set(listed(({ new_token }) => new_token?.events)),
  tokenSeconds: [
    ...listed(({ new_token }) => new_token?.seconds).map((key) => [key, 1] as const),
    ...listed(({ new_token }) => new_token?.milliseconds).map((key) => [key, 0.001] as const),
  ],
};

const metadataNames = new Map(paired(({ metadata }) => metadata));
const metadataPrefixes = [...metadataNames.keys()].filter((key) => key.endsWith('.'));

const keyOf = (source: BodySource): string =>
  'attribute' in source ? source.attribute : 'flattened' in source ? source.flattened : source.keys;

const bodies = [...TABLES.inputs, ...TABLES.outputs];
const bodyKeys = new Set(bodies.flatMap((source) => ('attribute' in source ? [source.attribute] : [])));
const bodyPrefixes = [...new Set(bodies.flatMap((source) => ('attribute' in source ? [] : [keyOf(source)])))];

const taken = new Set([
  ...listed(({ own }) => own),
  ...TABLES.provider,
  ...TABLES.model,
  ...TABLES.params.map(([key]) => key),
  ...bodies.flatMap(({ system }) => system ?? []),
  'langsmith.span.tags',
]);
const usageKeys = new Set(TABLES.usage.map(([key]) => key));

/**
 * How an attribute is used. `body`: too large for metadata, even if another body was preferred. `usage`: token
 * counts. `taken`: already stored in another field.
 */
export interface Destiny {
  to: 'body' | 'usage' | 'taken' | 'metadata';
  /**
   * Metadata key; empty for an object whose members become metadata; undefined keeps the attribute's key, with the
   * lowest precedence.
   */
  name?: string | undefined;
}

// Instrumentations use few keys; the limit guards against generated ones.
const CACHE_SIZE = 5_000;
const destinies = new Map<string, Destiny>();

export function destinyOf(key: string): Destiny {
  let destiny = destinies.get(key);
  if (!destiny) {
    destiny = findDestiny(key);
    if (destinies.size < CACHE_SIZE && key.length < 200) destinies.set(key, destiny);
  }
  return destiny;
}

function findDestiny(key: string): Destiny {
  const prefix = metadataPrefixes.find((start) => key.startsWith(start) && key.length > start.length);
  if (usageKeys.has(key)) return { to: 'usage', name: prefix && key.slice(prefix.length) };
  if (taken.has(key)) return { to: 'taken' };
  if (bodyKeys.has(key) || bodyPrefixes.some((start) => key.startsWith(start))) return { to: 'body' };
  return { to: 'metadata', name: prefix === undefined ? metadataNames.get(key) : key.slice(prefix.length) };
}
