import type { Context } from 'koa';
import type { Route } from '../platform/http/route.ts';
import { InvalidJson, InvalidRequest } from '../platform/errors.ts';
import { MAX_DEPTH, parseLoose, type Parsed } from './ingest/loose-json.ts';
import { hasMarked, markNumbers } from './lossless-numbers.ts';
import { requestBytes } from './ingest/request-bytes.ts';

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
  if (hasMarked(markNumbers(text.toString('utf8')))) throw lossy();
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

/** Marks numbers that JavaScript cannot represent. Throws InvalidRequest if the operation cannot preserve them. */
export function prepareNumbers(body: string, { operationId }: Route): string {
  const marked = markNumbers(body);
  if (marked !== body && !LOSSLESS.has(operationId)) throw lossy();
  return marked;
}
