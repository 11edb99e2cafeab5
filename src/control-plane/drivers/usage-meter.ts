import type { DriverOptions } from './driver-options.ts';
import { type InstanceRow, listInstances, noteUsage } from './instance-repository.ts';

/** CPU time a replica has used since its program started, and its current memory. */
export interface Used {
  /** Identifies the program; a restarted one counts from zero. */
  program: string;
  processorSeconds: number;
  megabytes: number;
}

/** Measures CPU and memory usage of this host's replicas, for autoscaling. */
export class UsageMeter {
  readonly #options: Pick<DriverOptions, 'db' | 'host'>;
  readonly #usedBy: (instance: InstanceRow) => Promise<Used | undefined>;
  #before = new Map<string, { processorSeconds: number; at: number }>();

  /** `usedBy` returns undefined if usage is not available. */
  constructor(
    options: Pick<DriverOptions, 'db' | 'host'>,
    usedBy: (instance: InstanceRow) => Promise<Used | undefined>,
  ) {
    this.#options = options;
    this.#usedBy = usedBy;
  }

  /** Records usage since the last call. */
  async measure(): Promise<void> {
    const { db, host } = this.#options;
    const now = new Map<string, { processorSeconds: number; at: number }>();
    const noted: Parameters<typeof noteUsage>[1] = [];
    for (const instance of await listInstances(db, { host })) {
      const used = await this.#usedBy(instance);
      if (!used) continue;
      const { program, processorSeconds, megabytes } = used;
      const at = performance.now();
      const before = this.#before.get(program);
      now.set(program, { processorSeconds, at });
      if (!before) continue;
      const seconds = (at - before.at) / 1000;
      // The sum may decrease, as it lacks processes that have ended.
      const cores = Math.max(0, processorSeconds - before.processorSeconds) / seconds;
      noted.push({ ...instance, cores, megabytes });
    }
    this.#before = now;
    if (noted.length > 0) await noteUsage(db, noted);
  }
}
