import { Where } from '../../platform/db/where.ts';
import { defineError } from '../../platform/errors.ts';
import { type QueryDeps, withoutBodies } from '../query/find-runs.ts';
import { readBounded } from '../query/read-bounded.ts';
import type { RunQuery } from '../query/run-query.ts';
import { runConditions } from '../query/run-query-sql.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import type { Opened } from '../traces/share-repository.ts';

const InvalidCursor = defineError('InvalidCursor', 400, () => 'Invalid cursor');

/**
 * Runs of a share that match a query, in tree order. `after` is the last dotted order of the previous page. Throws
 * InvalidRequest, TookTooLong.
 */
export async function listSharedRuns(
  deps: QueryDeps,
  share: Opened,
  {
    query,
    after,
    limit,
  }: { query?: Omit<RunQuery, 'tenant_id'> | undefined; after?: string | undefined; limit: number },
): Promise<{ rows: RunRow[]; next: string | undefined }> {
  const where = new Where();
  const conditions = runConditions(await ofTraces(deps, share, query), where);
  if (after !== undefined) conditions.push(`r.dotted_order > ${where.bind(after)}::text`);
  const rows = await readBounded<RunRow>(deps.db, deps.config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: `select ${RUN_ROW} from tracing.run r where ${conditions.join(' and ')}
      order by r.dotted_order limit ${where.bind(limit + 1)}::int`,
    values: where.values,
  });
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? page.at(-1)!.dotted_order : undefined };
}

/** Restricts the query to the shared traces. */
async function ofTraces(
  deps: QueryDeps,
  { tenant_id, traces }: Opened,
  query: Omit<RunQuery, 'tenant_id'> = {},
): Promise<RunQuery> {
  return { ...(await withoutBodies(deps, { ...query, tenant_id, traces })), traces };
}

export const writeCursor = (dottedOrder: string): string => Buffer.from(dottedOrder).toString('base64url');

/** Throws InvalidCursor. */
export function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!/^[\w.-]{1,100000}$/.test(text)) throw new InvalidCursor();
  return text;
}
