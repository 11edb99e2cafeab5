import { readFile } from 'node:fs/promises';
import { instanceName } from './instance-folder.ts';
import { type InstanceRow, listInstances, noteUsage } from '../instance-repository.ts';
import { openMemoryGroup } from './memory-group.ts';
import type { DriverOptions } from '../driver-options.ts';

// Linux counts in hundredths of a second, for everybody.
const TICKS_PER_SECOND = 100;
// After the name of the program, which may hold anything: user and system time, and memory in pages.
const UTIME = 11;
const STIME = 12;
const RESIDENT = 21;
// Of the machines Node.js is made for; where pages are larger, less is seen than there is.
const PAGES_PER_MB = 256;

interface Used {
  ticks: number;
  megabytes: number;
}

/** How many cores and how much memory the agents of this host use; nothing is known where there is no /proc. */
export class ResourceUsage {
  readonly #options: Pick<DriverOptions, 'db' | 'host'>;
  #before = new Map<number, { ticks: number; at: number }>();

  constructor(options: Pick<DriverOptions, 'db' | 'host'>) {
    this.#options = options;
  }

  /** Notes what was used since the last time, and what is held now. */
  async measure(): Promise<void> {
    const { db, host } = this.#options;
    const now = new Map<number, { ticks: number; at: number }>();
    const noted: Parameters<typeof noteUsage>[1] = [];
    for (const instance of await listInstances(db, { host })) {
      const { pid, revision_id, replica } = instance;
      const used = pid === null ? undefined : await usedBy(instance, pid);
      if (pid === null || used === undefined) continue;
      const { ticks, megabytes } = used;
      const at = performance.now();
      const before = this.#before.get(pid);
      now.set(pid, { ticks, at });
      if (!before) continue;
      const seconds = (at - before.at) / 1000;
      // What ended meanwhile is missing from the sum.
      const cores = Math.max(0, ticks - before.ticks) / TICKS_PER_SECOND / seconds;
      noted.push({ revision_id, replica, cores, megabytes });
    }
    this.#before = now;
    if (noted.length > 0) await noteUsage(db, noted);
  }
}

/** Of an agent's processes together; undefined when none can be seen. */
async function usedBy(instance: InstanceRow, leader: number): Promise<Used | undefined> {
  const group = await openMemoryGroup(instanceName(instance));
  const members = (await group?.pids()) ?? [];
  const pids = members.length > 0 ? members : await descendants(leader);
  const known = (await Promise.all(pids.map((pid) => usedByProcess(pid)))).filter((one) => one !== undefined);
  if (known.length === 0) return undefined;
  return known.reduce((sum, one) => ({
    ticks: sum.ticks + one.ticks,
    megabytes: sum.megabytes + one.megabytes,
  }));
}

async function usedByProcess(pid: number): Promise<Used | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  return {
    ticks: Number(fields[UTIME]) + Number(fields[STIME]),
    megabytes: Number(fields[RESIDENT]) / PAGES_PER_MB,
  };
}

async function descendants(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = await Promise.all(children.trim().split(' ').filter(Boolean).map(Number).map(descendants));
  return [pid, ...below.flat()];
}
