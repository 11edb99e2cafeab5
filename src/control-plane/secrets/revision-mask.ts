import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../platform/db/database.ts';
import { openEnvironment } from './environment.ts';
import { masker } from './masked-log.ts';
import type { SealedBox } from './sealed-box.ts';

const MOST_REVISIONS = 1_000;
// An environment never changes.
const masks = new LRUCache<string, (text: string) => string>({ max: MOST_REVISIONS });

/** Takes the values of a revision's secrets out of what its agent says; nothing of a revision that is gone. */
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
