import fc from 'fast-check';
import type { JsonSchema } from './openapi-operations.ts';

// Graphs that end soon whatever they are given.
const GRAPHS = ['echo', 'approval', 'boom', 'parent', 'functional', 'stateful', 'factory', 'typed'];

const placeholder = (...kinds: string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...kinds), fc.nat(19)).map(([kind, index]) => `@@${kind}:${index}@@`);

const anyId = fc.uuid();

/** Fields whose values must name something that is there for a request to get far. */
const NAMED: Record<string, fc.Arbitrary<unknown>> = {
  thread_id: fc.oneof({ weight: 8, arbitrary: placeholder('thread') }, { weight: 1, arbitrary: anyId }),
  ids: placeholder('thread'),
  thread_ids: placeholder('thread'),
  run_id: fc.oneof({ weight: 8, arbitrary: placeholder('run') }, { weight: 1, arbitrary: anyId }),
  run_ids: placeholder('run'),
  checkpoint_id: fc.oneof(
    { weight: 4, arbitrary: placeholder('checkpoint') },
    { weight: 1, arbitrary: anyId },
  ),
  before: placeholder('checkpoint'),
  assistant_id: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...GRAPHS) },
    { weight: 2, arbitrary: placeholder('assistant') },
    { weight: 1, arbitrary: anyId },
  ),
  graph_id: fc.constantFrom(...GRAPHS),
  as_node: fc.constantFrom(
    'answer',
    'write',
    'review',
    'publish',
    'child',
    'before',
    '__start__',
    '__end__',
    'nonesuch',
  ),
  goto: fc.constantFrom('answer', 'publish', 'after', '__end__', 'nonesuch'),
  namespace: fc.constantFrom('a', 'b', 'child', 'child|grandchild', 'é'),
  prefix: fc.constantFrom('a', 'b', '*'),
  xray: fc.constantFrom('true', 'false', '1', '7'),
  checkpoint_ns: fc.constantFrom('', 'child', 'child:6ba7b811-9dad-11d1-80b4-00c04fd430c8', 'nonesuch'),
  // Most runs start at once; a delay is the exception.
  after_seconds: fc.constantFrom(0, 0, 0, 0.01, 0.2, 3_600, 315_360_000),
  query: fc.constantFrom('tea', ''),
};

/** The same, where a request could do away with what all the others need. */
export const OWN_ASSISTANT = placeholder('assistant');

/** Values a schema admits, those at its bounds among them. `name` is the field's. */
export function valuesOf(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  const { type, anyOf, const: only } = schema;
  if (only !== undefined) return fc.constant(only);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Object.hasOwn(NAMED, name) && (type === 'string' || type === 'number')) return NAMED[name]!;
  if (anyOf) return fc.oneof(...anyOf.map((option) => valuesOf(option, name)));
  if (type === 'object') return objectsOf(schema);
  if (type === 'array') return arraysOf(schema, name);
  if (type === 'string') return textsOf(schema);
  if (type === 'integer' || type === 'number') return numbersOf(schema);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return anything();
}

/** Input, metadata and values: now and then what the graphs read. */
const anything = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      null,
      { text: 'hi' },
      { messages: [{ role: 'user', content: 'hi' }] },
      { topic: 'tea', ask: true },
      { value: 3, ask: true },
      { city: 'Oslo', days: 2 },
    ),
  );

function objectsOf({
  properties,
  patternProperties,
  required = [],
  maxProperties = 4,
}: JsonSchema): fc.Arbitrary<unknown> {
  if (properties) {
    const fields = Object.entries(properties).map(([key, value]) => [key, valuesOf(value, key)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: required });
  }
  const [values = {}] = Object.values(patternProperties ?? {});
  const keys = fc.constantFrom('owner', 'mark', 'text', 'n', 'thread_id', 'user_id', 'with space', 'é');
  return fc.dictionary(keys, valuesOf(values), { maxKeys: Math.min(maxProperties, 4) });
}

function arraysOf({ items, prefixItems, minItems = 0 }: JsonSchema, name: string): fc.Arbitrary<unknown> {
  if (prefixItems) return fc.tuple(...prefixItems.map((item) => valuesOf(item)));
  return fc.array(valuesOf(items || {}, name), { minLength: minItems, maxLength: minItems + 3 });
}

function textsOf({ format, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return anyId;
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
}

function numbersOf({ type, minimum, maximum, exclusiveMinimum }: JsonSchema): fc.Arbitrary<number> {
  const least = minimum ?? (exclusiveMinimum === undefined ? -1e9 : exclusiveMinimum + 1e-9);
  const most = maximum ?? 1e9;
  if (type === 'integer') {
    return fc.oneof(
      fc.integer({ min: least, max: Math.min(most, 50) }),
      fc.constantFrom(least, Math.min(most, 2 ** 53 - 1)),
    );
  }
  return fc.oneof(fc.double({ min: least, max: most, noNaN: true }), fc.constantFrom(least, most));
}
