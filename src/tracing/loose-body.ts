import type { Context } from 'koa';
import { InvalidJson, InvalidRequest } from '../platform/errors.ts';
import { DEEPEST, parseLoose, type Parsed } from './ingest/loose-json.ts';
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
export function checkKept({ value, isDeep, isExact }: Parsed): unknown {
  if (isDeep) throw new InvalidRequest(`JSON may not be nested deeper than ${DEEPEST} levels`);
  if (!isExact)
    throw new InvalidRequest(
      'Integers must be between -(2^53 - 1) and 2^53 - 1, and other numbers a 64-bit float',
    );
  return value;
}
