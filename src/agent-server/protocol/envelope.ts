/** An event as event-protocol clients receive it (contract §15.1). */
export interface Envelope {
  type: 'event';
  /**
   * `ms-seq` of the source event, with `.n` for further events derived from it; `synth:<run>:…` for the server's own.
   */
  event_id: string;
  /** Position in the thread's stream: identical on every connection and process, increasing by one within a run. */
  seq: number;
  method: Method;
  params: { namespace: string[]; timestamp: number; node?: string; data: unknown };
}

export type Method =
  | 'lifecycle'
  | 'values'
  | 'updates'
  | 'messages'
  | 'tools'
  | 'input.requested'
  | 'tasks'
  | 'custom'
  | 'checkpoints';

/** An envelope without its position in the stream. */
export interface Draft {
  method: Method;
  namespace: string[];
  data: unknown;
  node?: string | undefined;
  /** Unique name within the run, for drafts not derived from a source event alone. */
  synthetic?: string;
  /** Id of the source event, if different from the one being read. */
  source?: string;
}

export type Fields = Record<string, unknown>;

// More than a log can hold in a millisecond, so the next run always starts above the end of this one.
const PER_MS = 4_096;
// Keeps the numbers within JSON's safe integers for seventy years.
const SINCE_MS = Date.UTC(2025, 0, 1);

/** First `seq` of a run whose first event has this time. Depends only on the log, and retention doesn't change it. */
export const seqAt = (ms: number): number => Math.max(0, ms - SINCE_MS) * PER_MS;

/** The earliest time a `seq` can belong to. */
export const msOf = (seq: number): number => Math.floor(seq / PER_MS) + SINCE_MS;
