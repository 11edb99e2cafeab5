import type { Where } from '../../platform/db/where.ts';
import { isUuid } from '../../platform/ids.ts';
import { storableText } from '../../platform/storable-text.ts';
import { readTime } from '../ingest/run-time.ts';
import { type Expression, parseFilter } from '../query/filter/filter-expression.ts';
import { InvalidFilter } from '../query/filter/invalid-filter.ts';

const COMPARISONS: Record<string, string> = {
  eq: 'is not distinct from',
  neq: 'is distinct from',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

interface Field {
  sql: string;
  type: string;
  /** The value as Postgres takes it; undefined for what is none. */
  read(value: string): string | undefined;
}

const uuid = (sql: string): Field => ({
  sql,
  type: 'uuid',
  read: (text) => (isUuid(text) ? text : undefined),
});
const time = (sql: string): Field => ({ sql, type: 'timestamptz', read: readTime });
const FIELDS: Record<string, Field> = {
  id: uuid('e.id'),
  dataset_id: uuid('e.dataset_id'),
  source_run_id: uuid('e.source_run_id'),
  created_at: time('e.created_at'),
  modified_at: time('e.valid_from'),
};
const BODIES: Record<string, string> = { inputs: 'e.inputs::text', outputs: 'e.outputs::text' };

/**
 * A filter over examples `e` as SQL, in the language runs are filtered by (contract §1.11): `and`, `or`, `not`, comparisons
 * and `in` over ids and times, `has` and `exists` over metadata, `search`. Throws InvalidFilter.
 */
export const exampleFilterSql = (filter: string, where: Where): string =>
  conditionOf(parseFilter(filter), where);

function conditionOf(expression: Expression, where: Where): string {
  const { at } = expression;
  if (expression.kind !== 'call') throw new InvalidFilter('expected a function', at);
  const { name, args } = expression;
  if (name === 'and' || name === 'or') {
    if (args.length === 0) throw new InvalidFilter(`${name} takes conditions`, at);
    return `(${args.map((arg) => conditionOf(arg, where)).join(` ${name} `)})`;
  }
  if (name === 'not' && args.length === 1) return `not coalesce(${conditionOf(args[0]!, where)}, false)`;
  if (name === 'search') return searchOf(args, at, where);
  const [field, value] = args;
  if (args.length !== 2 || field?.kind !== 'field')
    throw new InvalidFilter(`${name.slice(0, 100)} takes a field and a value`, at);
  if (field.name === 'metadata') return metadataOf(name, value!, where);
  const known = Object.hasOwn(FIELDS, field.name) ? FIELDS[field.name]! : undefined;
  if (!known) throw new InvalidFilter(`examples have no field ${field.name.slice(0, 100)}`, field.at);
  if (name === 'in' && value?.kind === 'list')
    return `${known.sql} = any(${where.bind(value.items.map((item) => valueOf(known, item)))}::${known.type}[])`;
  const operator = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name]! : undefined;
  if (!operator) throw new InvalidFilter(`${name.slice(0, 100)} does not take this field`, at);
  return `${known.sql} ${operator} ${where.bind(valueOf(known, value!))}::${known.type}`;
}

function valueOf({ read }: Field, expression: Expression): string | null {
  if (expression.kind === 'value' && expression.value === null) return null;
  const value = expression.kind === 'value' ? read(String(expression.value)) : undefined;
  if (value === undefined) throw new InvalidFilter('this is no value of the field', expression.at);
  return value;
}

const textOf = (expression: Expression | undefined, at: number): string => {
  if (expression?.kind !== 'value' || typeof expression.value !== 'string')
    throw new InvalidFilter('expected a text', at);
  return expression.value;
};

function metadataOf(name: string, value: Expression, where: Where): string {
  const text = textOf(value, value.at);
  if (name === 'exists') return `e.metadata ? ${where.bind(storableText(text))}`;
  if (name !== 'has') throw new InvalidFilter(`${name.slice(0, 100)} does not take metadata`, value.at);
  try {
    return `e.metadata @> ${where.bind(storableText(JSON.stringify(JSON.parse(text))))}::jsonb`;
  } catch {
    throw new InvalidFilter('expected JSON', value.at);
  }
}

function searchOf(args: Expression[], at: number, where: Where): string {
  const field = args.length === 2 ? args[0] : undefined;
  const named =
    field?.kind === 'field' && Object.hasOwn(BODIES, field.name) ? [BODIES[field.name]!] : undefined;
  if (args.length === 0 || args.length > 2 || (field && !named))
    throw new InvalidFilter('search takes a text, or inputs or outputs and a text', at);
  const text = where.bind(storableText(textOf(args.at(-1), at)));
  return `(${(named ?? Object.values(BODIES))
    .map((body) => `strpos(lower(coalesce(${body}, '')), lower(${text}::text)) > 0`)
    .join(' or ')})`;
}
