import type { RowCondition, RowFilter } from '../../platform/db/row-filter.ts';
import { isObject } from '../../platform/json-object.ts';

const DEEPEST = 2;

/**
 * Parses a filter from a project's handler into conditions on a row's metadata (contract §13.2). Throws a plain
 * error, which becomes a 500: an unclear filter must not grant access.
 */
export function parseFilter(filter: Record<string, unknown>, depth = 0): RowFilter {
  return { all: Object.entries(filter).flatMap(([key, value]) => conditions(key, value, depth)) };
}

function conditions(key: string, value: unknown, depth: number): RowCondition[] {
  if (key === '$and') return members(key, value, depth).flatMap(({ all }) => all);
  if (key === '$or') return [{ any: members(key, value, depth) }];
  if (key.startsWith('$')) throw new Error(`Authorization filter: unknown operator ${key}`);
  if (!isObject(value)) return [equality(key, value)];
  const operators = Object.entries(value);
  if (operators.length !== 1)
    throw new Error(`Authorization filter: '${key}' needs one operator, $eq or $contains`);
  const [operator, operand] = operators[0]!;
  if (operator === '$eq') return [equality(key, operand)];
  if (operator === '$contains') return [{ key, contains: [operand].flat().map(asText) }];
  throw new Error(`Authorization filter: unknown operator ${operator} for '${key}'`);
}

/** `undefined` would match nothing in one place and everything in another. */
function equality(key: string, equals: unknown): RowCondition {
  if (equals === undefined || typeof equals === 'function')
    throw new Error(`Authorization filter: '${key}' has no value`);
  return { key, equals };
}

function members(operator: string, value: unknown, depth: number): RowFilter[] {
  if (depth >= DEEPEST)
    throw new Error(`Authorization filter: ${operator} is nested more than ${DEEPEST} deep`);
  if (!Array.isArray(value) || value.length < 2 || !value.every(isObject))
    throw new Error(`Authorization filter: ${operator} requires a list of at least two filters`);
  return value.map((member) => parseFilter(member, depth + 1));
}

function asText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new Error('Authorization filter: $contains requires strings');
}
