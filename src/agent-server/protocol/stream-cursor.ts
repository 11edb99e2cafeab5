import type { Envelope } from './envelope.ts';

/** Where a reader left off: a `seq`, or the id of its last event. */
export type StreamCursor = { since: number } | { event_id: string };

/** Parses a Last-Event-ID header: usually a `seq`, which the stream uses as its ids, but an `event_id` also works. */
export function parseCursor(text: string | undefined): StreamCursor | undefined {
  const trimmed = text?.trim();
  if (!trimmed || trimmed === '-' || trimmed === '-1') return undefined;
  return /^\d{1,16}$/.test(trimmed) ? { since: Number(trimmed) } : { event_id: trimmed };
}

/** The replayed events after the cursor; all of them if the reader's last event is no longer stored. */
export function afterCursor(events: Envelope[], cursor: StreamCursor): Envelope[] {
  if ('since' in cursor) return events.filter(({ seq }) => seq > cursor.since);
  return events.slice(events.findIndex(({ event_id }) => event_id === cursor.event_id) + 1);
}
