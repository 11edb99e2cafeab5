import fc from 'fast-check';
import { hostileText, hostileValue } from './hostile-values.ts';
import type { JsonSchema } from './openapi-operations.ts';

// Graphs that end soon whatever their input.
const GRAPHS = ['echo', 'approval', 'boom', 'parent', 'functional', 'stateful', 'factory', 'typed', 'sleepy'];

const FILTERS = [
  'eq(name, "run")',
  'and(has(tags, "a"), neq(status, "error"))',
  'search("tea")',
  'or(gt(latency, "5s"), eq(feedback_key, "k1"))',
  'and(eq(metadata_key, "owner"), eq(metadata_value, "ada"))',
  'not(in(id, ["@@run:0@@"]))',
  'has(metadata, \'{"owner": "ada"}\')',
  'eq(start_time, "9999-12-31")',
  'gt(total_tokens, 1e308)',
  'eq(name, "\\u0000")',
  'and(',
  'eq(nothing, 1)',
];

const nth = (kind: string): fc.Arbitrary<string> => fc.nat(9).map((index) => `@@${kind}:${index}@@`);
const mostly = (usual: fc.Arbitrary<unknown>, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: other });
const anyId = fc.uuid();

/** Stands for an assistant that a request may change or delete. */
export const OWN_ASSISTANT = nth('assistant');

/** Fields that must name existing objects for a request to get far. */
const NAMED: Record<string, fc.Arbitrary<unknown>> = {
  thread_id: mostly(nth('thread'), anyId),
  ids: nth('thread'),
  thread_ids: nth('thread'),
  run_id: mostly(nth('run'), anyId),
  run_ids: nth('run'),
  cron_id: mostly(nth('cron'), anyId),
  // Times that do not fall within the test.
  schedule: fc.constantFrom('0 9 1 1 *', '30 2 29 2 *', '0 0 1 JAN MON'),
  timezone: fc.constantFrom('UTC', 'America/New_York', 'Mars/Olympus'),
  end_time: fc.constantFrom('2099-01-01', '2099-01-01T00:00:00+02:00', '2001-01-01T00:00:00', 'soon'),
  checkpoint_id: mostly(nth('checkpoint'), anyId),
  before: mostly(nth('checkpoint'), anyId),
  assistant_id: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...GRAPHS) },
    { weight: 2, arbitrary: OWN_ASSISTANT },
    { weight: 1, arbitrary: anyId },
  ),
  graph_id: fc.constantFrom(...GRAPHS),
  version: fc.integer({ min: 1, max: 4 }),
  as_node: fc.constantFrom(
    'answer',
    'write',
    'review',
    'child',
    'before',
    '__start__',
    '__end__',
    'nonesuch',
  ),
  goto: fc.constantFrom('answer', 'publish', 'after', '__end__', 'nonesuch'),
  interrupt_before: fc.constantFrom('answer', 'review', 'child'),
  interrupt_after: fc.constantFrom('answer', 'review', 'child'),
  namespace: fc.constantFrom('a', 'b', 'child', 'child|grandchild', 'é'),
  namespace_prefix: fc.constantFrom('a', 'b'),
  prefix: fc.constantFrom('a', 'b', '*'),
  suffix: fc.constantFrom('b', '*'),
  key: fc.constantFrom('k1', 'k2', 'k3'),
  xray: fc.constantFrom('true', 'false', '1', '7'),
  checkpoint_ns: fc.constantFrom('', '', 'child', 'child:6ba7b811-9dad-11d1-80b4-00c04fd430c8', 'nonesuch'),
  // Of tracing.
  session_id: mostly(nth('project'), anyId),
  session_ids: nth('project'),
  session: nth('project'),
  project_id: mostly(nth('project'), anyId),
  project_ids: nth('project'),
  experiment_ids: nth('project'),
  trace_id: mostly(nth('run'), anyId),
  trace: mostly(nth('run'), anyId),
  run: mostly(nth('run'), anyId),
  parent_run: nth('run'),
  dataset_id: mostly(nth('dataset'), anyId),
  dataset: nth('dataset'),
  source_dataset_id: nth('dataset'),
  target_dataset_id: nth('dataset'),
  reference_dataset_id: nth('dataset'),
  example_id: mostly(nth('example'), anyId),
  example_ids: nth('example'),
  queue_id: mostly(nth('queue'), anyId),
  queue_run_id: mostly(nth('item'), anyId),
  queue_item_id: mostly(nth('item'), anyId),
  item_id: mostly(nth('item'), anyId),
  feedback_id: mostly(nth('feedback'), anyId),
  share_token: mostly(nth('share'), anyId),
  token: mostly(nth('share'), anyId),
  id: mostly(nth('id'), anyId),
  owner: fc.constantFrom('-', 'nobody'),
  repo: fc.constantFrom('fuzzed', 'nonesuch'),
  repo_handle: fc.constantFrom('fuzzed', 'other', '-bad-'),
  filter: mostly(fc.constantFrom(...FILTERS), fc.string()),
  trace_filter: fc.constantFrom(...FILTERS),
  tree_filter: fc.constantFrom(...FILTERS),
  as_of: fc.constantFrom('latest', 'start', '2026-01-02T03:04:05Z', '0001-01-01', 'soon'),
  cursor: fc.constantFrom('x', 'WyIyMDI2LTAxLTAyIiwiYSJd', 'YXQgMQ', '§'),
  // Most runs start at once; a delay is the exception.
  after_seconds: fc.constantFrom(0, 0, 0, 0.01, 0.2, 3_600, 315_360_000),
};

/** Values a schema allows, including its bounds. `name` is the field's. */
export function valuesOf(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  const { type, anyOf, const: only } = schema;
  if (only !== undefined) return fc.constant(only);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Object.hasOwn(NAMED, name) && type && type !== 'array' && type !== 'object') return NAMED[name]!;
  if (anyOf) return fc.oneof(...anyOf.map((option) => valuesOf(option, name)));
  if (type === 'object') return objectsOf(schema, name);
  if (type === 'array') return arraysOf(schema, name);
  if (type === 'string') return textsOf(schema);
  if (type === 'integer' || type === 'number') return numbersOf(schema);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return open();
}

/** Values for open schemas: some that graphs read, and unexpected ones. */
const open = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom<unknown>(
      null,
      { text: 'hi' },
      { messages: [{ role: 'user', content: 'hi' }] },
      { topic: 'tea', ask: true },
      { value: 3, ask: true },
      { city: 'Oslo', days: 2 },
      { ms: 700 },
    ),
    fc.jsonValue({ maxDepth: 2 }),
    hostileValue(),
  );

const ABSENT = Symbol('absent');

/** An optional field is left out more often than not: many at once contradict each other. */
function objectsOf(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
  const { properties, patternProperties, required = [], maxProperties = 4 } = schema;
  if (properties) {
    const fields = Object.entries(properties).map(([key, value]) => {
      const values = valuesOf(value, key);
      const sometimes = fc.oneof(
        { weight: 3, arbitrary: fc.constant(ABSENT) },
        { weight: 1, arbitrary: values },
      );
      return [key, required.includes(key) ? values : sometimes] as const;
    });
    return fc
      .record(Object.fromEntries(fields))
      .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ABSENT)));
  }
  const [values = {}] = Object.values(patternProperties ?? {});
  const usual = fc.constantFrom('owner', 'mark', 'text', 'n', 'thread_id', 'user_id', 'with space', 'é');
  const keys = fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: hostileText() });
  return fc.dictionary(keys, valuesOf(values, name), { maxKeys: Math.min(maxProperties, 4) });
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
  const min = minimum ?? (exclusiveMinimum === undefined ? -1e9 : exclusiveMinimum + 1e-9);
  const max = maximum ?? 1e9;
  const bounds = fc.constantFrom(min, Math.min(max, Number.MAX_SAFE_INTEGER));
  const between =
    type === 'integer' ? fc.integer({ min, max: Math.min(max, 50) }) : fc.double({ min, max, noNaN: true });
  return fc.oneof({ weight: 4, arbitrary: between }, { weight: 1, arbitrary: bounds });
}
