import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../platform/db/database.ts';
import { openEnvironment } from './environment.ts';
import { masker } from './masked-log.ts';
import type { SealedBox } from './sealed-box.ts';

const MOST_REVISIONS = 1_000;
// A revision's environment never changes.
const masks = new LRUCache<string, (text: string) => string>({ max: MOST_REVISIONS });

/** Masks a revision's secrets in its output; empties the text if the revision is gone. */
export async function revisionMask(
  { db, box }: { db: Queryable; box: SealedBox },
  revisionId: string,
): Promise<(text: string) => string> {
  const known = masks.get(revisionId);
  if (known) return known;
  const { rows } = await db.query<{ environment: Buffer }>(
    'select environment from control_plane.revision where id = $1',
    [revisionId],
  );
  const mask = masker(rows[0] ? openEnvironment(box, revisionId, rows[0].environment) : []);
  masks.set(revisionId, mask);
  return mask;
}
