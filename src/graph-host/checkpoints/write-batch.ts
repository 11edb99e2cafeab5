import { setImmediate, setTimeout } from 'node:timers/promises';
import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import type { WriteUnit } from '../../graph-protocol/checkpoint-record.ts';

// Approximate limit of rows per statement: Postgres allows 65,535 parameters, and each row needs several.
const MOST_ROWS = 2_000;
const MOST_CHARS = 16 * 1024 * 1024;

// Limits of what `take` returns.
const MOST_LEFT_ROWS = 200;
const MOST_LEFT_CHARS = 1024 * 1024;

// The engine checks its writes only when it awaits them, so one that fails while a node is busy would be an unhandled
// rejection, which ends the process. So puts reject this many milliseconds after `onFailure`, which stops the run.
const NOTICE = 100;

export interface WriteBatchOptions {
  storage: Pick<CheckpointStorage, 'write'>;
  /** Writes of a run: the first failure fails all later ones. */
  fenced: boolean;
  /** How long the first write waits for what follows it, in milliseconds. */
  waitMs?: number | undefined;
  /** Called with each unit, in order. */
  onWrite?: ((unit: WriteUnit) => void) | undefined;
  /** Called once, when a run's write fails and nothing more of the run will be stored. The puts reject later. */
  onFailure?: ((error: unknown) => void) | undefined;
}

interface Waiting {
  unit: Promise<WriteUnit>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Sends the writes of one checkpointer in order, one statement at a time; those that arrive meanwhile go into the next.
 * In a run, the first failure fails all later writes, so that no checkpoint is stored without its predecessors.
 */
export class WriteBatch {
  readonly #options: WriteBatchOptions;
  readonly #waiting: Waiting[] = [];
  readonly #hurry = new AbortController();
  #flushing: Promise<void> | undefined;
  #noted: Promise<void> = Promise.resolve();
  #failure: { error: unknown; notice: Promise<unknown> } | undefined;

  constructor(options: WriteBatchOptions) {
    this.#options = options;
  }

  /** Settles when the unit is committed or has failed. */
  add(unit: Promise<WriteUnit>): Promise<void> {
    // Awaited when its turn comes; until then a rejection must not count as unhandled.
    unit.catch(() => {});
    if (this.#failure) return this.#rejection(this.#failure);
    this.#noted = Promise.all([unit, this.#noted]).then(
      ([written]) => void (this.#failure || this.#options.onWrite?.(written)),
      () => {},
    );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Settles once `onWrite` has seen everything added. */
  noted(): Promise<void> {
    return this.#noted;
  }

  /** Settles when everything added has been sent. Throws if a fenced write failed. */
  async drain(): Promise<void> {
    if (this.#flushing) this.#hurry.abort();
    while (this.#flushing) await this.#flushing;
    if (this.#failure) throw this.#failure.error;
  }

  /** Returns unsent units for the caller to store, or sends them if there are many. Throws if a write failed. */
  async take(): Promise<WriteUnit[]> {
    const waiting = this.#waiting.splice(0);
    const units = await Promise.all(waiting.map(({ unit }) => unit)).catch((error: unknown) => {
      this.#fail(error, waiting);
      return [];
    });
    if (this.#failure) throw this.#failure.error;
    const left = units.reduce(less, { rows: MOST_LEFT_ROWS, chars: MOST_LEFT_CHARS });
    if (left.rows < 0 || left.chars < 0) {
      this.#waiting.unshift(...waiting);
      this.#flushing ??= this.#flush();
      await this.drain();
      return [];
    }
    for (const { resolve } of waiting) resolve();
    return units;
  }

  async #flush(): Promise<void> {
    const { waitMs } = this.#options;
    if (waitMs !== undefined && !this.#hurry.signal.aborted) {
      await setTimeout(waitMs, undefined, { signal: this.#hurry.signal }).catch(() => {});
      this.#hurry.abort();
    }
    while (this.#waiting.length > 0) {
      // Wait one turn of the event loop, so that writes prompted by the last commit join this statement.
      await setImmediate();
      await this.#send();
    }
    this.#flushing = undefined;
  }

  async #send(): Promise<void> {
    const { storage } = this.#options;
    const units: WriteUnit[] = [];
    const sent: Waiting[] = [];
    let room = { rows: MOST_ROWS, chars: MOST_CHARS };
    while (this.#waiting.length > 0 && room.rows > 0 && room.chars > 0) {
      const waiting = this.#waiting.shift()!;
      try {
        const unit = await waiting.unit;
        units.push(unit);
        sent.push(waiting);
        room = less(room, unit);
      } catch (error) {
        this.#fail(error, [waiting]);
      }
    }
    if (units.length === 0) return;
    try {
      await storage.write(units);
      for (const { resolve } of sent) resolve();
    } catch (error) {
      this.#fail(error, sent);
    }
  }

  #fail(error: unknown, failed: Waiting[]): void {
    const { fenced, onFailure } = this.#options;
    if (fenced && !this.#failure) {
      this.#failure = { error, notice: onFailure ? setTimeout(NOTICE) : Promise.resolve() };
      onFailure?.(error);
    }
    const all = fenced ? [...failed, ...this.#waiting.splice(0)] : failed;
    void (this.#failure?.notice ?? Promise.resolve()).then(() => all.forEach(({ reject }) => reject(error)));
  }

  async #rejection({ error, notice }: { error: unknown; notice: Promise<unknown> }): Promise<never> {
    await notice;
    throw error;
  }
}

function less(room: { rows: number; chars: number }, { values, writes }: WriteUnit): typeof room {
  const chars = [...values, ...writes].reduce((sum, { value }) => sum + value.length, 0);
  return { rows: room.rows - 1 - values.length - writes.length, chars: room.chars - chars };
}
