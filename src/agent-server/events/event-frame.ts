import { type EventId, formatEventId } from './event-id.ts';

/** One entry of a run's log. `data` is JSON text, as sent to clients. */
export interface RunEvent {
  id: EventId;
  event: string;
  data: string;
}

/** How a run ended. `output` is its result as JSON text, if that fits into a notification. */
export interface RunEnd {
  status: string;
  output?: string;
}

export type Notice =
  | { kind: 'events'; run_id: string; events: RunEvent[] }
  /** The event is too large for a notification; read it from the table. */
  | { kind: 'stored'; run_id: string; id: EventId }
  | { kind: 'end'; run_id: string; end: RunEnd }
  /** The run or its thread is gone. */
  | { kind: 'gone'; run_id: string };

// Postgres limits a notification to less than 8,000 bytes.
const MOST_BYTES = 7_900;
// JSON text holds no control characters, so these need no escaping.
const RECORD = '\x1e';
const FIELD = '\x1f';
const UUID_LENGTH = 36;

export const threadChannel = (threadId: string): string => `thread:${threadId}`;

/** Packs events into as few notifications as possible; those too large for one become `stored` notices. */
export function packEvents(runId: string, events: RunEvent[]): { payloads: string[]; oversized: RunEvent[] } {
  const payloads: string[] = [];
  const oversized: RunEvent[] = [];
  let open = '';
  let openBytes = 0;
  const close = () => {
    if (open) payloads.push(`e${runId}${open}`);
    open = '';
    openBytes = 0;
  };
  for (const event of events) {
    const record = RECORD + formatEventId(event.id) + FIELD + event.event + FIELD + event.data;
    const bytes = Buffer.byteLength(record);
    if (openBytes + bytes + UUID_LENGTH + 1 > MOST_BYTES) close();
    if (bytes + UUID_LENGTH + 1 > MOST_BYTES) {
      oversized.push(event);
      payloads.push(`s${runId}${formatEventId(event.id)}`);
    } else {
      open += record;
      openBytes += bytes;
    }
  }
  close();
  return { payloads, oversized };
}

/** Omits an output that does not fit; readers then read the thread. */
export function endPayload(runId: string, { status, output }: RunEnd): string {
  const payload = `d${runId}${status}${FIELD}${output ?? ''}`;
  return Buffer.byteLength(payload) <= MOST_BYTES ? payload : `d${runId}${status}${FIELD}`;
}

export const gonePayload = (runId: string): string => `g${runId}`;

/**
 * Wakes a thread's followers after a change to a run that has ended: a `stored` notice with an id that does not exist
 * delivers nothing.
 */
export const changedPayload = (runId: string): string => `s${runId}0-0`;

export const runOfNotice = (payload: string): string => payload.slice(1, UUID_LENGTH + 1);

export function unpackNotice(payload: string): Notice {
  const run_id = runOfNotice(payload);
  const rest = payload.slice(UUID_LENGTH + 1);
  switch (payload[0]) {
    case 'e':
      return { kind: 'events', run_id, events: rest.split(RECORD).slice(1).map(unpackEvent) };
    case 's':
      return { kind: 'stored', run_id, id: unpackId(rest) };
    case 'd': {
      const [status = '', output = ''] = rest.split(FIELD);
      return { kind: 'end', run_id, end: output ? { status, output } : { status } };
    }
    default:
      return { kind: 'gone', run_id };
  }
}

function unpackEvent(record: string): RunEvent {
  const first = record.indexOf(FIELD);
  const second = record.indexOf(FIELD, first + 1);
  return {
    id: unpackId(record.slice(0, first)),
    event: record.slice(first + 1, second),
    data: record.slice(second + 1),
  };
}

function unpackId(text: string): EventId {
  const dash = text.indexOf('-');
  return { ms: Number(text.slice(0, dash)), seq: Number(text.slice(dash + 1)) };
}
