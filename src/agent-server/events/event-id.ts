import { InvalidRequest } from '../../platform/errors.ts';

/** Position of an event in its thread: unique, strictly increasing. On the wire `ms-seq` (contract §6.1). */
export interface EventId {
  ms: number;
  seq: number;
}

export const START: EventId = { ms: -1, seq: 0 };

export const formatEventId = ({ ms, seq }: EventId): string => `${ms}-${seq}`;

export const isAfter = (a: EventId, b: EventId): boolean => a.ms > b.ms || (a.ms === b.ms && a.seq > b.seq);

/**
 * Parses a Last-Event-ID header. `-` and `-1` mean from the start; `ms-*` means after all events of that millisecond;
 * a plain number is an id of the old format. Undefined if it is missing. Throws InvalidRequest.
 */
export function parseLastEventId(text: string | undefined): EventId | undefined {
  const trimmed = text?.trim();
  if (!trimmed) return undefined;
  if (trimmed === '-' || trimmed === '-1') return START;
  const [, ms, seq] = /^(\d{1,15})(?:-(\d{1,9}|\*))?$/.exec(trimmed) ?? [];
  if (ms === undefined) throw new InvalidRequest(`Invalid Last-Event-ID: ${trimmed.slice(0, 80)}`);
  return { ms: Number(ms), seq: seq === '*' ? Number.MAX_SAFE_INTEGER : Number(seq ?? 0) };
}

/** Issues increasing ids, whatever the local clock does; `floor` is the time of the thread's last event. */
export class EventClock {
  #last: EventId;
  readonly #ahead: number;

  /** @param now The database's clock in ms, so that processes with different clocks agree on an order. */
  constructor(now: number, floor: number) {
    const start = Math.max(now, floor + 1);
    this.#ahead = start - performance.now();
    this.#last = { ms: start - 1, seq: 0 };
  }

  next(): EventId {
    const ms = Math.max(Math.floor(performance.now() + this.#ahead), this.#last.ms);
    this.#last = { ms, seq: ms === this.#last.ms ? this.#last.seq + 1 : 0 };
    return this.#last;
  }

  get lastMs(): number {
    return this.#last.ms;
  }
}
