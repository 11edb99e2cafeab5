import type { Envelope } from './envelope.ts';

/** Where a reader left off: a `seq`, or the name of the last event it had. */
export type StreamCursor = { since: number } | { event_id: string };

/** Reads a Last-Event-ID header: the stream's own ids are `seq`s, and an `event_id` will do as well. */
export function parseCursor(text: string | undefined): StreamCursor | undefined {
  const trimmed = text?.trim();
  if (!trimmed || trimmed === '-' || trimmed === '-1') return undefined;
  return /^\d{1,16}$/.test(trimmed) ? { since: Number(trimmed) } : { event_id: trimmed };
}

/** What of a replay a reader has not had yet: all of it where its last event is not kept any more. */
export function afterCursor(events: Envelope[], cursor: StreamCursor): Envelope[] {
  if ('since' in cursor) return events.filter(({ seq }) => seq > cursor.since);
  return events.slice(events.findIndex(({ event_id }) => event_id === cursor.event_id) + 1);
}
