import type { Context } from 'koa';
import { InvalidJson } from '../platform/errors.ts';
import { parseLoose } from './ingest/loose-json.ts';
import { requestBytes } from './ingest/request-bytes.ts';

/**
 * The JSON body of a request as clients write it: Python's `NaN` is null, and it may be compressed (contract §1.6).
 * Throws InvalidJson, TooLarge beyond `limit` bytes.
 */
export async function looseBody(ctx: Context, limit: number): Promise<unknown> {
  const parsed = parseLoose(await requestBytes(ctx.req, limit));
  if (!parsed) throw new InvalidJson();
  return parsed.value;
}
