import { TABLES } from './attribute-tables.ts';
import { textOf } from './attribute-values.ts';
import { isMessageEvent } from './message-events.ts';
import type { OtelEvent, OtelSpan } from './otel-span.ts';

const EXCEPTION = 'exception';
const CHOICE = 'gen_ai.choice';
const LAST_MS = 253_402_300_799_999;

/** ISO 8601 in UTC with microseconds; undefined for an invalid time. */
export function isoTime(micros: number): string | undefined {
  const ms = Math.floor(micros / 1000);
  if (!(micros > 0) || ms > LAST_MS) return undefined;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, '0')}Z`;
}

/** Events of the run and the time of its first token. */
export function eventsOf(span: OtelSpan): object[] {
  const events: object[] = [];
  const firstToken = firstTokenOf(span);
  if (firstToken !== undefined) events.push({ name: 'new_token', time: isoTime(firstToken) });
  for (const event of span.events)
    if (!isMessageEvent(event))
      events.push({
        name: event.name,
        time: isoTime(event.time),
        ...(Object.keys(event.attributes).length > 0 && { kwargs: event.attributes }),
        ...event.rest,
      });
  return events;
}

function firstTokenOf({ start, end, events, attributes }: OtelSpan): number | undefined {
  for (const event of events) if (TABLES.tokenEvents.has(event.name) || isChunk(event)) return event.time;
  for (const [key, seconds] of TABLES.tokenSeconds) {
    const value = attributes[key];
    if (typeof value !== 'number' || !(value >= 0) || !(start > 0)) continue;
    const at = start + Math.round(value * seconds * 1e6);
    // Strands writes milliseconds where the conventions use seconds.
    return end > start && at > end ? start + Math.round(value * seconds * 1e3) : at;
  }
  return undefined;
}

/** A choice with a finish reason is the complete answer rather than a chunk. */
const isChunk = ({ name, attributes }: OtelEvent): boolean =>
  name === CHOICE &&
  attributes['finish_reason'] === undefined &&
  attributes['message'] === undefined &&
  attributes['gen_ai.event.content'] === undefined;

/** The error message of a failed span. */
export function errorOf({ isError, statusMessage, events, attributes }: OtelSpan): string | undefined {
  if (!isError) return undefined;
  const exception = events.findLast(({ name }) => name === EXCEPTION)?.attributes ?? {};
  const type = textOf(exception['exception.type']);
  const message = textOf(exception['exception.message']) ?? (statusMessage || undefined);
  const stack = textOf(exception['exception.stacktrace']);
  const what =
    type && message && !message.startsWith(type)
      ? `${type}: ${message}`
      : (message ?? type ?? textOf(attributes['error.type']));
  if (stack && what) return stack.startsWith(what) ? stack : `${what}\n\n${stack}`;
  return stack ?? what ?? 'Error';
}
