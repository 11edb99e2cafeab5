import type { Condition, Test } from './condition.ts';
import { type Expression, parseFilter, type Scalar } from './filter-expression.ts';
import { InvalidFilter } from './invalid-filter.ts';
import { readContained } from './contained-json.ts';
import { correlate, type LoosePairTest, type PairFamily } from './pair-groups.ts';
import { type FieldType, readValue, RUN_FIELDS } from './run-fields.ts';
import { searchCondition } from './search-words.ts';

type Call = Extract<Expression, { kind: 'call' }>;
type Meaning = Condition | { loose: LoosePairTest };

const COMPARATORS = new Set(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'in']);

const PAIR_PARTS: ReadonlyMap<string, { family: PairFamily; part: string; type: FieldType | 'any' }> =
  new Map([
    ['metadata_key', { family: 'metadata', part: 'key', type: 'text' }],
    ['metadata_value', { family: 'metadata', part: 'value', type: 'any' }],
    ['input_key', { family: 'inputs', part: 'key', type: 'text' }],
    ['input_value', { family: 'inputs', part: 'value', type: 'any' }],
    ['output_key', { family: 'outputs', part: 'key', type: 'text' }],
    ['output_value', { family: 'outputs', part: 'value', type: 'any' }],
    ['feedback_key', { family: 'feedback', part: 'key', type: 'text' }],
    ['feedback_score', { family: 'feedback', part: 'score', type: 'number' }],
    ['feedback_value', { family: 'feedback', part: 'value', type: 'any' }],
    ['feedback_label', { family: 'feedback', part: 'value', type: 'any' }],
    ['feedback_source', { family: 'feedback', part: 'source', type: 'text' }],
  ]);

/** Parses a filter. Throws InvalidFilter with the position of the error (contract §1.11). */
export function readFilter(source: string): Condition {
  return whole(read(parseFilter(source)));
}

const whole = (meaning: Meaning): Condition =>
  'loose' in meaning ? correlate([meaning.loose])[0]! : meaning;

function read(expression: Expression): Meaning {
  const { at } = expression;
  if (expression.kind !== 'call') throw new InvalidFilter('expected a function such as eq(name, "x")', at);
  const { name, args } = expression;
  if (COMPARATORS.has(name)) return readComparison(expression);
  switch (name) {
    case 'and': {
      const meanings = needArgs(expression, 1).map(read);
      const plain = meanings.flatMap((meaning) => ('loose' in meaning ? [] : meaning));
      const loose = meanings.flatMap((meaning) => ('loose' in meaning ? meaning.loose : []));
      return { all: [...plain, ...correlate(loose)] };
    }
    case 'or':
      return { any: needArgs(expression, 1).map((arg) => whole(read(arg))) };
    case 'not':
      return { not: whole(read(needArgs(expression, 1, 1)[0]!)) };
    case 'search': {
      needArgs(expression, 1, 2);
      return searchCondition(args.length > 1 ? fieldName(args[0]!) : undefined, textOf(args.at(-1)!), at);
    }
    case 'has':
      needArgs(expression, 2, 2);
      return readHas(fieldName(args[0]!), args[1]!);
    case 'exists':
      needArgs(expression, 1, 2);
      return readExists(fieldName(args[0]!), args[0]!.at, args[1]);
    default:
      throw new InvalidFilter(`unknown function ${name.slice(0, 40)}`, at);
  }
}

function readComparison(call: Call): Meaning {
  const [target, operand] = needArgs(call, 2, 2) as [Expression, Expression];
  const name = fieldName(target);
  const op = (call.name === 'neq' ? 'eq' : call.name) as Exclude<Test['op'], 'there'>;
  const negated = call.name === 'neq';
  if (name === 'tags') return readTags(call.name, operand, call.at);
  const pair = PAIR_PARTS.get(name);
  if (pair) {
    const { test, isNull } = readTest(op, pair.type, operand);
    const { family, part } = pair;
    return { loose: { family, part, test, negated: negated !== isNull } };
  }
  const field = RUN_FIELDS.get(name);
  if (!field) throw unknownField(name, target.at);
  // `error` compared with a boolean tests whether there is one.
  if (name === 'error' && op === 'eq' && operand.kind === 'value' && typeof operand.value === 'boolean')
    return negation({ field, test: { op: 'there' } }, operand.value === negated);
  const { test, isNull } = readTest(op, op === 'like' ? 'text' : field.type, operand);
  return negation({ field, test }, negated !== isNull);
}

const negation = (condition: Condition, negated: boolean): Condition =>
  negated ? { not: condition } : condition;

/** `isNull`: the comparison is with null and matches missing values. */
function readTest(
  op: Exclude<Test['op'], 'there'>,
  type: FieldType | 'any',
  operand: Expression,
): { test: Test; isNull: boolean } {
  const typed = (value: Scalar, at: number) => {
    const read = type === 'any' ? value : value === null ? undefined : readValue(type, value);
    if (read === undefined || read === null) throw new InvalidFilter(`expected ${describe(type)}`, at);
    return read;
  };
  if (op === 'in') {
    const items = operand.kind === 'list' ? operand.items : [operand];
    return { test: { op, values: items.map((item) => typed(valueOf(item), item.at)) }, isNull: false };
  }
  const value = valueOf(operand);
  if (value === null && op === 'eq') return { test: { op: 'there' }, isNull: true };
  return { test: { op, value: op === 'like' ? textOf(operand) : typed(value, operand.at) }, isNull: false };
}

function readTags(op: string, operand: Expression, at: number): Condition {
  if (op === 'like') return { tag_like: textOf(operand) };
  if (operand.kind === 'value' && operand.value === null && (op === 'eq' || op === 'neq'))
    return negation({ tags: [], match: 'any' }, op === 'eq');
  if (op === 'in' || op === 'eq' || op === 'neq')
    return negation({ tags: textsOf(operand), match: op === 'in' ? 'any' : 'all' }, op === 'neq');
  throw new InvalidFilter(`tags cannot be compared with ${op}`, at);
}

function readHas(name: string, operand: Expression): Condition {
  const { at } = operand;
  if (name === 'tags') return { tags: textsOf(operand), match: 'all' };
  if (name !== 'metadata' && name !== 'inputs' && name !== 'outputs')
    throw new InvalidFilter('has supports tags, metadata, inputs and outputs', at);
  const contained = operand.kind === 'value' ? readContained(operand, at) : undefined;
  if (contained === undefined) return readExists(name, at, operand);
  if (name === 'metadata') return { metadata: contained.object };
  return {
    all: contained.pairs.map(([key, value]) => ({
      body: {
        body: name,
        pairs: [
          { part: 'key', test: { op: 'eq', value: key }, negated: false },
          { part: 'value', test: { op: 'eq', value }, negated: false },
        ],
      },
    })),
  };
}

function readExists(name: string, at: number, key: Expression | undefined): Condition {
  if (key && (name === 'metadata' || name === 'inputs' || name === 'outputs')) {
    const test: Test = { op: 'eq', value: textOf(key) };
    return correlate([{ family: name, part: 'key', test, negated: false }])[0]!;
  }
  if (key) throw new InvalidFilter(`${name.slice(0, 40)} has no keys`, at);
  if (name === 'tags') return { tags: [], match: 'any' };
  const field = RUN_FIELDS.get(name);
  if (!field) throw unknownField(name, at);
  return { field, test: { op: 'there' } };
}

function needArgs({ name, args, at }: Call, least: number, most = Infinity): Expression[] {
  if (args.length >= least && args.length <= most) return args;
  throw new InvalidFilter(`${name} takes ${least === most ? least : `${least} or more`} arguments`, at);
}

function fieldName(expression: Expression): string {
  if (expression.kind !== 'field') throw new InvalidFilter('expected a field name', expression.at);
  return expression.name;
}

function valueOf(expression: Expression): Scalar {
  if (expression.kind !== 'value') throw new InvalidFilter('expected a value', expression.at);
  return expression.value;
}

function textOf(expression: Expression): string {
  const value = valueOf(expression);
  if (value === null) throw new InvalidFilter('expected a text', expression.at);
  return String(value);
}

const textsOf = (expression: Expression): string[] =>
  expression.kind === 'list' ? expression.items.map(textOf) : [textOf(expression)];

const unknownField = (name: string, at: number) =>
  new InvalidFilter(`unknown field ${name.slice(0, 40)}`, at);

const describe = (type: FieldType | 'any'): string =>
  ({
    text: 'a text',
    uuid: 'a UUID',
    number: 'a number',
    boolean: 'true or false',
    time: 'a time such as "2025-01-31T12:00:00Z"',
    duration: 'seconds, or a duration such as "5s" or "200ms"',
    any: 'a value',
  })[type];
