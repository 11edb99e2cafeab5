import { Ajv, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import addFormats from 'ajv-formats';
import { type Static, type TSchema, Type } from 'typebox';
import { InvalidRequest } from './errors.ts';
import { UUID } from './ids.ts';
import { TRUSTED_SCHEMAS } from './trusted-schemas.ts';

export const Uuid = Type.String({ format: 'uuid', 'x-lower-case': true });
export const Timestamp = Type.String({ format: 'date-time' });
export const JsonObject = Type.Record(Type.String(), Type.Unknown());
export type JsonObject = Record<string, unknown>;
export const Detail = Type.Object({ detail: Type.String() });

export const StringEnum = <const Values extends readonly string[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });

export const Nullable = <const Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** For update bodies: missing keeps the value, null clears it. */
export const Clearable = <const Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema));

export const OneOrMany = <Item extends TSchema>(item: Item) => Type.Union([item, Type.Array(item)]);

const ajv = new Ajv({ ...TRUSTED_SCHEMAS, useDefaults: true, coerceTypes: false });
addFormats.default(ajv);
// Query strings contain numbers, booleans and lists as text.
const queryAjv = new Ajv({ ...TRUSTED_SCHEMAS, useDefaults: true, coerceTypes: true });
addFormats.default(queryAjv);

// Normalises ids to lower case, also where they name a channel or a workflow.
const lowerCase: FuncKeywordDefinition = {
  keyword: 'x-lower-case',
  modifying: true,
  errors: false,
  validate(_asked: unknown, text: unknown, _schema?: unknown, place?: DataValidationCxt): boolean {
    if (typeof text === 'string' && place) place.parentData[place.parentDataProperty] = text.toLowerCase();
    return true;
  },
};
ajv.addKeyword(lowerCase);
queryAjv.addKeyword(lowerCase);

// The standard format also allows URNs, which Postgres rejects.
ajv.addFormat('uuid', UUID);
queryAjv.addFormat('uuid', UUID);

/** `params` of a JSON-RPC request have types, like a body. */
export type Part = 'body' | 'params' | 'query' | 'path';

/** Creates the error for failed validation. */
export type InvalidAnswer = (errors: ErrorObject[], part: Part) => Error;

/**
 * Compiles a schema on first use, to keep startup fast. The returned function fills in defaults, removes nulls that
 * mean "missing" (contract §1.1) and throws InvalidRequest with the paths and reasons of the first failures.
 */
export function compileValidator<Schema extends TSchema>(
  schema: Schema,
  part: Part,
  invalid: InvalidAnswer = (errors) => new InvalidRequest(describeErrors(errors, part)),
): (value: unknown) => Static<Schema> {
  const typed = part === 'body' || part === 'params';
  let compiled: ValidateFunction | undefined;
  return (value) => {
    const validate = (compiled ??= (typed ? ajv : queryAjv).compile(schema));
    const candidate = typed ? withoutAbsentNulls(schema, value) : value;
    if (!validate(candidate)) throw invalid(validate.errors ?? [], part);
    return candidate as Static<Schema>;
  };
}

function describeErrors(errors: ErrorObject[], part: Part): string {
  const lines = errors.slice(0, 3).map(({ instancePath, keyword, params, message }) => {
    const missing =
      keyword === 'required' ? `/${(params as { missingProperty: string }).missingProperty}` : '';
    const place = (part + instancePath + missing).replaceAll('/', '.');
    const allowed =
      keyword === 'enum' ? `: ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}` : '';
    return missing ? `${place} is required` : `${place} ${message ?? keyword}${allowed}`;
  });
  return [...new Set(lines)].join('; ');
}

interface SchemaNode {
  type?: string;
  anyOf?: SchemaNode[];
  properties?: Record<string, SchemaNode>;
  required?: string[];
  items?: SchemaNode;
}

const takesNull = (node: SchemaNode): boolean =>
  node.type === 'null' || (node.anyOf ? node.anyOf.some(takesNull) : node.type === undefined);

/** Copies without null properties that the schema does not allow; returns the same value if there are none. */
function withoutAbsentNulls(node: SchemaNode, value: unknown): unknown {
  const own = optionOf(node, value);
  if (own !== node) return withoutAbsentNulls(own, value);
  if (Array.isArray(value)) {
    const { items } = node;
    return items ? value.map((item) => withoutAbsentNulls(items, item)) : value;
  }
  const { properties } = node;
  if (!properties || typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const [key, property] of Object.entries(properties)) {
    if (!(key in copy)) continue;
    if (copy[key] === null && !takesNull(property)) delete copy[key];
    else copy[key] = withoutAbsentNulls(property, copy[key]);
  }
  return copy;
}

/** The only alternative that accepts this kind of value. */
function optionOf(node: SchemaNode, value: unknown): SchemaNode {
  if (!node.anyOf || typeof value !== 'object' || value === null) return node;
  const type = Array.isArray(value) ? 'array' : 'object';
  const [option, ...others] = node.anyOf.filter((one) => one.type === type);
  return option && others.length === 0 ? option : node;
}
