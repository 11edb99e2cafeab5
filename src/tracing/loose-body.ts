import type { Context } from 'koa';
import type { Route } from '../platform/http/route.ts';
import { InvalidJson, InvalidRequest } from '../platform/errors.ts';
import { DEEPEST, parseLoose, type Parsed } from './ingest/loose-json.ts';
import { hasMarked, markNumbers } from './lossless-numbers.ts';
import { requestBytes } from './ingest/request-bytes.ts';

/**
 * The JSON body of a request as clients write it: Python's `NaN` is null, and it may be compressed (contract §1.6).
 * Throws InvalidJson, InvalidRequest, TooLarge beyond `limit` bytes.
 */
export async function looseBody(ctx: Context, limit: number): Promise<unknown> {
  const parsed = parseLoose(await requestBytes(ctx.req, limit));
  if (!parsed) throw new InvalidJson();
  return checkKept(parsed);
}

/** The value, where it can be stored as it was sent. Throws InvalidRequest. */
export function checkKept({ value, text, isDeep }: Parsed): unknown {
  if (isDeep) throw new InvalidRequest(`JSON may not be nested deeper than ${DEEPEST} levels`);
  if (hasMarked(markNumbers(text.toString('utf8')))) throw lossy();
  return value;
}

const lossy = () =>
  new InvalidRequest('Integers must be between -(2^53 - 1) and 2^53 - 1, and other numbers a 64-bit float');

// Their bodies are stored as JSON text.
const LOSSLESS = new Set([
  'createExample',
  'createExamples',
  'updateExample',
  'updateExamples',
  'searchDataset',
]);

/** A JSON body with numbers marked that JavaScript does not hold. Throws InvalidRequest where they cannot be kept. */
export function prepareNumbers(body: string, { operationId }: Route): string {
  const marked = markNumbers(body);
  if (marked !== body && !LOSSLESS.has(operationId)) throw lossy();
  return marked;
}
