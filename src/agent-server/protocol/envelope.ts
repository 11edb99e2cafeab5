/** One event as clients of the event protocol get it (contract §15.1). */
export interface Envelope {
  type: 'event';
  /** `ms-seq` of the source event, `.n` for further ones made of it; `synth:<run>:…` for what the server itself says. */
  event_id: string;
  /** Place in the thread's stream: the same on every connection and process, one more each within a run. */
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

/** An envelope before it has its place in the stream. */
export interface Draft {
  method: Method;
  namespace: string[];
  data: unknown;
  node?: string | undefined;
  /** What names it within its run, where it was not made of a source event alone. */
  synthetic?: string;
  /** Id of the source event, where that is not the one being read. */
  source?: string;
}

export type Fields = Record<string, unknown>;

// Beyond what a log can hold in a millisecond: the next run always starts higher than this one ends.
const PER_MS = 4_096;
// Keeps the numbers within what JSON readers hold exactly, for seventy years.
const SINCE_MS = Date.UTC(2025, 0, 1);

/** First `seq` of a run whose first event has this time: nothing but the log decides it, and retention does not move it. */
export const seqAt = (ms: number): number => Math.max(0, ms - SINCE_MS) * PER_MS;

/** The time a `seq` belongs to, at the earliest. */
export const msOf = (seq: number): number => Math.floor(seq / PER_MS) + SINCE_MS;
