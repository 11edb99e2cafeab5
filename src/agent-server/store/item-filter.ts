import { InvalidRequest } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';

/** Adds a parameter to the statement and returns its placeholder. */
export type Bind = (value: unknown) => string;

const COMPARISONS: Record<string, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };
const OPERATORS = ['$eq', '$ne', ...Object.keys(COMPARISONS), '$in', '$nin'];

// Far more than anyone writes by hand. Postgres allows 65,535 parameters, and the stack is finite.
const MOST_CONDITIONS = 200;
const DEEPEST = 20;

/**
 * SQL conditions on the `value` column for a search filter, combined with AND. A scalar or list means equality, an
 * object without operators must be contained key by key, and a missing field counts as null. Throws InvalidRequest.
 */
export function filterConditions(filter: JsonObject, bind: Bind): string[] {
  const conditions = objectConditions([], filter, bind);
  if (conditions.length > MOST_CONDITIONS) {
    throw new InvalidRequest(`filter has ${conditions.length} conditions; ${MOST_CONDITIONS} are allowed`);
  }
  return conditions;
}

function objectConditions(path: string[], object: JsonObject, bind: Bind): string[] {
  if (path.length > DEEPEST) throw new InvalidRequest(`filter is nested more than ${DEEPEST} levels deep`);
  return Object.entries(object).flatMap(([key, wanted]) => fieldConditions([...path, key], wanted, bind));
}

function fieldConditions(path: string[], wanted: unknown, bind: Bind): string[] {
  const field = `(value #> ${bind(path)}::text[])`;
  if (!isObject(wanted)) return [equality(field, '=', wanted, bind)];
  const keys = Object.keys(wanted);
  if (!keys.some((key) => key.startsWith('$'))) {
    return [`jsonb_typeof(${field}) = 'object'`, ...objectConditions(path, wanted, bind)];
  }
  return keys.map((operator) => {
    const place = `filter.${path.join('.')}`;
    if (!OPERATORS.includes(operator)) {
      throw new InvalidRequest(`${place}: unknown operator ${operator}; there are ${OPERATORS.join(', ')}`);
    }
    return condition(field, operator, wanted[operator], bind, `${place}.${operator}`);
  });
}

function condition(field: string, operator: string, operand: unknown, bind: Bind, place: string): string {
  if (operator === '$eq') return equality(field, '=', operand, bind);
  if (operator === '$ne') return equality(field, '<>', operand, bind);
  if (operator === '$in' || operator === '$nin') {
    if (!Array.isArray(operand)) throw new InvalidRequest(`${place} must be a list`);
    const any = equality(field, '= any', operand, bind);
    return operator === '$in' ? any : `not ${any}`;
  }
  const sign = COMPARISONS[operator]!;
  const kind = typeof operand;
  // A value of a different type than the operand never matches: numbers and strings have no order between them.
  const sameKind = `jsonb_typeof(${field}) = '${kind}'`;
  if (kind === 'string') {
    return `(${sameKind} and (${field} #>> '{}') collate "C" ${sign} ${bind(operand)}::text)`;
  }
  if (kind !== 'number' && kind !== 'boolean') {
    throw new InvalidRequest(`${place} must be a number, a string or a boolean`);
  }
  return `(${sameKind} and ${field} ${sign} ${bind(JSON.stringify(operand))}::jsonb)`;
}

function equality(field: string, sign: '=' | '<>' | '= any', operand: unknown, bind: Bind): string {
  const given = `coalesce(${field}, 'null')`;
  if (sign === '= any') {
    const texts = (operand as unknown[]).map((item) => JSON.stringify(item));
    return `(${given} = any(${bind(texts)}::jsonb[]))`;
  }
  return `${given} ${sign} ${bind(JSON.stringify(operand))}::jsonb`;
}
