import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { claimSweeps, endSweep, holdSweep, registerSweeps, type SweepTable } from './sweep-repository.ts';

/** Maintenance repeated by one worker at a time. Must be safe to run twice at once and to be killed. */
export interface Sweep {
  name: string;
  everySeconds: number;
  /** Returns what it did, for operators. */
  run(): Promise<object>;
}

const HOLD_SECONDS = 15;
const RENEW_MS = 5_000;
const MOST_TICK_MS = 15_000;

/**
 * Runs sweeps on timers in this process, instead of as workflows: an idle deployment starts none
 * (docs/decisions/0026). The table says which are due, so each runs at its interval however many workers there are.
 */
export class Sweeps {
  readonly #db: Database;
  readonly #table: SweepTable;
  readonly #sweeps: Map<string, Sweep>;
  readonly #log: Logger;
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(db: Database, table: SweepTable, sweeps: Sweep[], log: Logger) {
    this.#db = db;
    this.#table = table;
    this.#sweeps = new Map(sweeps.map((sweep) => [sweep.name, sweep]));
    this.#log = log;
  }

  async start(): Promise<void> {
    const sweeps = [...this.#sweeps.values()];
    await registerSweeps(this.#db, this.#table, sweeps);
    const tickMs = Math.min(MOST_TICK_MS, ...sweeps.map(({ everySeconds }) => everySeconds * 500));
    const tick = async () => {
      await this.#runDue().catch((error: unknown) => this.#warn(error, 'could not look for due sweeps'));
      if (!this.#isStopped) this.#timer = setTimeout(() => void tick(), tickMs).unref();
    };
    void tick();
  }

  /** Starts no more sweeps. Another worker repeats those that the end of this process cuts short. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #runDue(): Promise<void> {
    const idle = [...this.#sweeps.keys()].filter((name) => !this.#running.has(name));
    if (idle.length === 0) return;
    for (const name of await claimSweeps(this.#db, this.#table, idle, HOLD_SECONDS))
      void this.#run(this.#sweeps.get(name)!);
  }

  async #run({ name, everySeconds, run }: Sweep): Promise<void> {
    this.#running.add(name);
    const renew = setInterval(
      () => void holdSweep(this.#db, this.#table, name, HOLD_SECONDS).catch(() => {}),
      RENEW_MS,
    );
    const begun = performance.now();
    const took = () => ({ took_ms: Math.round(performance.now() - begun) });
    try {
      const outcome = await run().then(
        (result) => ({ ...took(), result }),
        (error: unknown) => {
          this.#warn(error, 'a sweep failed', name);
          return { ...took(), error: String(error) };
        },
      );
      await endSweep(this.#db, this.#table, name, everySeconds, outcome);
    } catch (error) {
      this.#warn(error, 'could not record a sweep', name);
    } finally {
      clearInterval(renew);
      this.#running.delete(name);
    }
  }

  #warn(error: unknown, message: string, sweep?: string): void {
    // After `stop`, the database may close while a sweep runs.
    if (!this.#isStopped) this.#log.warn({ err: error, sweep }, message);
  }
}
