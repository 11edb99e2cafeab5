import type { Queryable } from '../../platform/db/database.ts';
import { defineError } from '../../platform/errors.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import type { Share } from './share-repository.ts';

const InvalidCursor = defineError('InvalidCursor', 400, () => 'The cursor is none of ours');

/** Runs of a shared trace, in the order of the tree; `after` is the dotted order of the last one before. */
export async function listSharedRuns(
  db: Queryable,
  share: Share & { tenant_id: string },
  { ids, after, limit }: { ids?: string[] | undefined; after?: string | undefined; limit: number },
): Promise<{ rows: RunRow[]; next: string | undefined }> {
  const { rows } = await db.query<RunRow>(
    `select ${RUN_ROW} from tracing.run r
     where r.tenant_id = $1 and r.trace_id = $2 and r.is_posted and ($3::uuid[] is null or r.id = any($3))
       and ($4::text is null or r.dotted_order > $4)
     order by r.dotted_order limit $5`,
    [share.tenant_id, share.shared_trace_id, ids, after, limit + 1],
  );
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? page.at(-1)!.dotted_order : undefined };
}

export const writeCursor = (dottedOrder: string): string => Buffer.from(dottedOrder).toString('base64url');

/** Throws InvalidCursor. */
export function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!/^[\w.-]{1,100000}$/.test(text)) throw new InvalidCursor();
  return text;
}
