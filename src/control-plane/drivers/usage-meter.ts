import type { DriverOptions } from './driver-options.ts';
import { type InstanceRow, listInstances, noteUsage } from './instance-repository.ts';

/** What a replica has used since its program began, and what it holds now. */
export interface Used {
  /** Which program: one that was started anew counts from nothing. */
  program: string;
  processorSeconds: number;
  megabytes: number;
}

/** How many cores and how much memory the replicas of this host use, for whoever decides how many there are to be. */
export class UsageMeter {
  readonly #options: Pick<DriverOptions, 'db' | 'host'>;
  readonly #usedBy: (instance: InstanceRow) => Promise<Used | undefined>;
  #before = new Map<string, { processorSeconds: number; at: number }>();

  /** `usedBy` tells undefined where nothing can be seen. */
  constructor(
    options: Pick<DriverOptions, 'db' | 'host'>,
    usedBy: (instance: InstanceRow) => Promise<Used | undefined>,
  ) {
    this.#options = options;
    this.#usedBy = usedBy;
  }

  /** Notes what was used since the last time, and what is held now. */
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
      // What ended meanwhile is missing from the sum.
      const cores = Math.max(0, processorSeconds - before.processorSeconds) / seconds;
      noted.push({ ...instance, cores, megabytes });
    }
    this.#before = now;
    if (noted.length > 0) await noteUsage(db, noted);
  }
}
