import { setImmediate, setTimeout } from 'node:timers/promises';
import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import type { WriteUnit } from '../../graph-protocol/checkpoint-record.ts';

// What one statement carries at the most, or little more: Postgres takes 65,535 parameters, a row brings a few.
const MOST_ROWS = 2_000;
const MOST_CHARS = 16 * 1024 * 1024;

// The engine looks at its writes only where it waits for them; one that fails while a node is busy is an unhandled
// rejection, which ends the process. So whoever can stop the run has this long, in milliseconds, to make it wait.
const NOTICE = 100;

export interface WriteBatchOptions {
  storage: Pick<CheckpointStorage, 'write'>;
  /** A run writes: its first failure fails everything after it. */
  fenced: boolean;
  /** Told of each unit before it is sent, in order. */
  onWrite?: ((unit: WriteUnit) => void) | undefined;
  /** Told once, when a run's write failed: nothing more of it will be stored. The puts themselves hear of it later. */
  onFailure?: ((error: unknown) => void) | undefined;
}

interface Waiting {
  unit: Promise<WriteUnit>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes of one saver, in order and one statement at a time: whatever came while a statement was under way goes out
 * with the next. In a run, the first failure fails everything after it, so that no checkpoint is stored that builds
 * on one that is not.
 */
export class WriteBatch {
  readonly #options: WriteBatchOptions;
  readonly #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #failure: { error: unknown; notice: Promise<unknown> } | undefined;

  constructor(options: WriteBatchOptions) {
    this.#options = options;
  }

  /** Settles when the unit is committed, or failed. */
  add(unit: Promise<WriteUnit>): Promise<void> {
    // It is looked at when its turn comes.
    unit.catch(() => {});
    if (this.#failure) return this.#rejection(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Settles when all that was added is out. Throws when a fenced write failed. */
  async drain(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    if (this.#failure) throw this.#failure.error;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the loop: what the engine does next on hearing of the last commit goes out with this one.
      await setImmediate();
      await this.#send();
    }
    this.#flushing = undefined;
  }

  async #send(): Promise<void> {
    const { storage, onWrite } = this.#options;
    const units: WriteUnit[] = [];
    const sent: Waiting[] = [];
    let room = { rows: MOST_ROWS, chars: MOST_CHARS };
    while (this.#waiting.length > 0 && room.rows > 0 && room.chars > 0) {
      const waiting = this.#waiting.shift()!;
      try {
        const unit = await waiting.unit;
        onWrite?.(unit);
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
