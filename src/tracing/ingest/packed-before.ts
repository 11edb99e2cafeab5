import type { Statement } from '../../platform/db/database.ts';
import { unpackStatement, UNPACKED_MS } from '../packs/unpack-runs.ts';
import { dottedSegment } from './dotted-order.ts';
import type { PlacedRun } from './run-writer.ts';

// Of what a dotted order begins with, the time.
const STAMP = '20260131T000000000000Z'.length;
const stampOf = (time: string): string => dottedSegment(time, '');

/**
 * What is packed of the traces that these runs belong to becomes rows before they are written: a trace is in one place.
 * Undefined where all of them are new.
 */
export function unpackedBefore(tenantId: string, placed: PlacedRun[]): Statement | undefined {
  const youngest = stampOf(new Date(Date.now() - UNPACKED_MS).toISOString().replace('Z', '000Z'));
  const came = new Set(placed.map(({ run }) => run.id));
  const ids = placed.flatMap(({ run: { id, place }, start_time }) => {
    const { dotted_order, trace_id, parent_run_id } = place;
    const own = stampOf(start_time);
    const isOld = own < youngest || (dotted_order ?? own).slice(0, STAMP) < youngest;
    // Of those above it that are not known, nobody says when they began.
    const above = dotted_order ? [] : [trace_id, parent_run_id].filter((known) => known && !came.has(known));
    return [...(isOld ? [id, trace_id] : []), ...above].filter((known) => known !== undefined);
  });
  return ids.length > 0 ? unpackStatement(tenantId, [...new Set(ids)]) : undefined;
}
