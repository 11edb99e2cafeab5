import { type Static, Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { Nullable, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { readDecimal, writeDecimal } from './decimal.ts';
import { MODEL_KEYS } from './model-of-run.ts';
import { MAX_PATTERN_LENGTH, readPattern } from './price-pattern.ts';
import type { PriceInput } from './price-repository.ts';

const MAX_NAME_LENGTH = 200;
const MAX_DETAILS = 50;

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const Cost = Type.Union([Type.Number({ minimum: 0 }), Type.String({ maxLength: 100 })], {
  description: 'Dollars per token; text avoids rounding',
});
const CostDetails = orNull(
  Type.Record(Type.String({ maxLength: 100 }), Cost, { maxProperties: MAX_DETAILS }),
);

/** A price to create (contract §1.13). */
export const PriceBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  start_time: orNull(Timestamp),
  match_path: Type.Optional(Type.Array(StringEnum(MODEL_KEYS), { minItems: 1, maxItems: MODEL_KEYS.length })),
  match_pattern: Type.String({ minLength: 1, maxLength: MAX_PATTERN_LENGTH }),
  provider: orNull(Type.String({ maxLength: MAX_NAME_LENGTH })),
  prompt_cost: Cost,
  completion_cost: Cost,
  prompt_cost_details: CostDetails,
  completion_cost_details: CostDetails,
});

const TextMap = Type.Record(Type.String(), Type.String());

export const PriceRow = Type.Object({
  id: Uuid,
  name: Type.String(),
  start_time: Nullable(Timestamp),
  match_path: Type.Array(Type.String()),
  match_pattern: Type.String(),
  provider: Nullable(Type.String()),
  prompt_cost: Type.String(),
  completion_cost: Type.String(),
  prompt_cost_details: Nullable(TextMap),
  completion_cost_details: Nullable(TextMap),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** Checks what the schema cannot. Throws InvalidRequest. */
export function readPrice(body: Static<typeof PriceBody>): PriceInput {
  readPattern(body.match_pattern);
  return {
    name: body.name,
    start_time: body.start_time ?? null,
    match_path: body.match_path ?? [...MODEL_KEYS],
    match_pattern: body.match_pattern,
    provider: body.provider || null,
    prompt_cost: cost('prompt_cost', body.prompt_cost),
    completion_cost: cost('completion_cost', body.completion_cost),
    prompt_cost_details: costs('prompt_cost_details', body.prompt_cost_details),
    completion_cost_details: costs('completion_cost_details', body.completion_cost_details),
  };
}

function cost(key: string, value: number | string): string {
  const decimal = readDecimal(value);
  if (!decimal || decimal.digits < 0n) throw new InvalidRequest(`${key} must be a non-negative number`);
  return writeDecimal(decimal);
}

const costs = (key: string, map: Record<string, number | string> | null | undefined) =>
  map && Object.keys(map).length > 0
    ? Object.fromEntries(
        Object.entries(map).map(([detail, value]) => [detail, cost(`${key}.${detail}`, value)]),
      )
    : null;
