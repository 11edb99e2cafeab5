import type { Context } from 'koa';
import type { Route } from '../../platform/http/route.ts';
import { InvalidJson, InvalidRequest } from '../../platform/errors.ts';
import { MAX_DEPTH, parseLoose, type Parsed } from '../json/loose-json.ts';
import { hasMarked, markNumbers } from '../json/lossless-numbers.ts';
import { isStorable, requireStorable } from '../json/storable-json.ts';
import { requestBytes } from './request-bytes.ts';

/**
 * Parses a JSON request body, which may be compressed and may contain Python's `NaN` (contract §1.6). Throws
 * InvalidJson, InvalidRequest, TooLarge beyond `limit` bytes.
 */
export async function looseBody(ctx: Context, limit: number): Promise<unknown> {
  const parsed = parseLoose(await requestBytes(ctx.req, limit));
  if (!parsed) throw new InvalidJson();
  return checkExact(parsed);
}

/** Returns the value if it can be stored exactly as sent. Throws InvalidRequest. */
export function checkExact({ value, text, isDeep }: Parsed): unknown {
  if (isDeep) throw new InvalidRequest(`JSON may not be nested deeper than ${MAX_DEPTH} levels`);
  const json = text.toString('utf8');
  if (hasMarked(markNumbers(json))) throw lossy();
  requireStorable(value, json);
  return value;
}

const lossy = () =>
  new InvalidRequest('Integers must be between -(2^53 - 1) and 2^53 - 1, and other numbers a 64-bit float');

// Operations whose bodies are stored as JSON text.
const LOSSLESS = new Set([
  'createExample',
  'createExamples',
  'updateExample',
  'updateExamples',
  'searchDataset',
]);

// Queries store nothing; text that Postgres can't hold matches its replacement.
const IS_QUERY = /^(?:count|diff|group|list|preview|query|read|search)/;

/**
 * Marks numbers that JavaScript cannot represent. Throws InvalidRequest if the operation cannot store them, or a text,
 * exactly as sent.
 */
export function prepareJson(body: string, { operationId }: Route): string {
  const marked = markNumbers(body);
  if (marked !== body && !LOSSLESS.has(operationId)) throw lossy();
  if (!isStorable(body) && !IS_QUERY.test(operationId)) requireStorable(parseOrUndefined(body), body);
  return marked;
}

/** Undefined for malformed JSON, which the parser refuses later. */
function parseOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
