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

/** Of a body that changes something: what is not there stays, and null takes away. */
export const Clearable = <const Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema));

export const OneOrMany = <Item extends TSchema>(item: Item) => Type.Union([item, Type.Array(item)]);

const ajv = new Ajv({ ...TRUSTED_SCHEMAS, useDefaults: true, coerceTypes: false });
addFormats.default(ajv);
// Numbers, booleans and lists arrive as text in a query string.
const queryAjv = new Ajv({ ...TRUSTED_SCHEMAS, useDefaults: true, coerceTypes: true });
addFormats.default(queryAjv);

// An id in capitals is the same id, also where it names a channel or a workflow.
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

// The stock format also admits URNs, which Postgres does not.
ajv.addFormat('uuid', UUID);
queryAjv.addFormat('uuid', UUID);

/** `params` are those of a JSON-RPC request: inside a body, and typed like one. */
export type Part = 'body' | 'params' | 'query' | 'path';

/** Makes the error that a failed validation is answered with. */
export type InvalidAnswer = (errors: ErrorObject[], part: Part) => Error;

/**
 * Compiles a schema once, when it is first needed: all of a server's together hold up its start. The function it
 * returns fills in defaults, takes off nulls that stand for "absent" (contract §1.1) and throws InvalidRequest with
 * the place and the reason of the first failures.
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

/** A copy without the null properties whose schema has no null; untouched where there is none. */
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

/** Of several schemas, the only one that is for such a value. */
function optionOf(node: SchemaNode, value: unknown): SchemaNode {
  if (!node.anyOf || typeof value !== 'object' || value === null) return node;
  const type = Array.isArray(value) ? 'array' : 'object';
  const [option, ...others] = node.anyOf.filter((one) => one.type === type);
  return option && others.length === 0 ? option : node;
}
