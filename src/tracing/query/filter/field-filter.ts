import type { Where } from '../../../platform/db/where.ts';
import { isUuid } from '../../../platform/ids.ts';
import { storableText } from '../../../platform/storable-text.ts';
import { readTime } from '../../runs/run-time.ts';
import { type Expression, parseFilter } from './filter-expression.ts';
import { InvalidFilter } from './invalid-filter.ts';

const COMPARISONS: Record<string, string> = {
  eq: 'is not distinct from',
  neq: 'is distinct from',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
};

/** A filterable column. */
export interface Field {
  sql: string;
  type: 'uuid' | 'timestamptz' | 'text';
  /** Converts to a Postgres value; undefined if invalid. */
  read(value: string): string | undefined;
}

export const uuidField = (sql: string): Field => ({
  sql,
  type: 'uuid',
  read: (text) => (isUuid(text) ? text : undefined),
});
export const timeField = (sql: string): Field => ({ sql, type: 'timestamptz', read: readTime });
export const textField = (sql: string): Field => ({ sql, type: 'text', read: storableText });

/** Filterable fields of a table. */
export interface Fields {
  /** Plural noun for error messages. */
  of: string;
  columns: Record<string, Field>;
  /** A jsonb column. */
  metadata: string;
  /** Columns covered by `search`, by name. */
  texts: Record<string, string>;
}

/**
 * Compiles a filter on rows other than runs to SQL (contract §1.11): `and`, `or`, `not`, comparisons and `in` on
 * columns, `has` and `exists` on metadata, `search` on texts. Throws InvalidFilter.
 */
export const fieldFilterSql = (filter: string, fields: Fields, where: Where): string =>
  conditionOf(parseFilter(filter), fields, where);

function conditionOf(expression: Expression, fields: Fields, where: Where): string {
  const { at } = expression;
  if (expression.kind !== 'call') throw new InvalidFilter('expected a function', at);
  const { name, args } = expression;
  if (name === 'and' || name === 'or') {
    if (args.length === 0) throw new InvalidFilter(`${name} expects conditions`, at);
    return `(${args.map((arg) => conditionOf(arg, fields, where)).join(` ${name} `)})`;
  }
  if (name === 'not' && args.length === 1)
    return `not coalesce(${conditionOf(args[0]!, fields, where)}, false)`;
  if (name === 'search') return searchOf(args, at, fields, where);
  const [given, value] = args;
  // Some clients quote field names.
  const field =
    given?.kind === 'value' && given.value === 'metadata'
      ? { kind: 'field' as const, name: 'metadata', at }
      : given;
  if (args.length !== 2 || field?.kind !== 'field')
    throw new InvalidFilter(`${name.slice(0, 100)} expects a field and a value`, at);
  if (field.name === 'metadata') return metadataOf(name, value!, fields, where);
  const known = Object.hasOwn(fields.columns, field.name) ? fields.columns[field.name]! : undefined;
  if (!known) throw new InvalidFilter(`${fields.of} have no field ${field.name.slice(0, 100)}`, field.at);
  if (name === 'in' && value?.kind === 'list')
    return `${known.sql} = any(${where.bind(value.items.map((item) => valueOf(known, item)))}::${known.type}[])`;
  const operator = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name]! : undefined;
  if (!operator || (name === 'like' && known.type !== 'text'))
    throw new InvalidFilter(`${name.slice(0, 100)} does not support this field`, at);
  return `${known.sql} ${operator} ${where.bind(valueOf(known, value!))}::${known.type}`;
}

function valueOf({ read }: Field, expression: Expression): string | null {
  if (expression.kind === 'value' && expression.value === null) return null;
  const value = expression.kind === 'value' ? read(String(expression.value)) : undefined;
  if (value === undefined) throw new InvalidFilter('invalid value for this field', expression.at);
  return value;
}

const textOf = (expression: Expression | undefined, at: number): string => {
  if (expression?.kind !== 'value' || typeof expression.value !== 'string')
    throw new InvalidFilter('expected a text', at);
  return expression.value;
};

function metadataOf(name: string, value: Expression, { metadata }: Fields, where: Where): string {
  const text = textOf(value, value.at);
  if (name === 'exists') return `${metadata} ? ${where.bind(storableText(text))}`;
  if (name !== 'has') throw new InvalidFilter(`${name.slice(0, 100)} does not support metadata`, value.at);
  try {
    return `${metadata} @> ${where.bind(storableText(JSON.stringify(JSON.parse(text))))}::jsonb`;
  } catch {
    throw new InvalidFilter('expected JSON', value.at);
  }
}

function searchOf(args: Expression[], at: number, { texts }: Fields, where: Where): string {
  const field = args.length === 2 ? args[0] : undefined;
  const named =
    field?.kind === 'field' && Object.hasOwn(texts, field.name) ? [texts[field.name]!] : undefined;
  if (args.length === 0 || args.length > 2 || (field && !named))
    throw new InvalidFilter(`search expects a text, or ${Object.keys(texts).join(' or ')} and a text`, at);
  const text = where.bind(storableText(textOf(args.at(-1), at)));
  return `(${(named ?? Object.values(texts))
    .map((body) => `strpos(lower(coalesce(${body}, '')), lower(${text}::text)) > 0`)
    .join(' or ')})`;
}
