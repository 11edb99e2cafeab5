import { readFile } from 'node:fs/promises';
import { instanceName } from './instance-folder.ts';
import { type InstanceRow, listInstances, noteCpu } from '../instance-repository.ts';
import { openMemoryGroup } from './memory-group.ts';
import type { DriverOptions } from '../driver-options.ts';

// Linux counts in hundredths of a second, for everybody.
const TICKS_PER_SECOND = 100;
// After the name of the program, which may hold anything: user and system time.
const UTIME = 11;
const STIME = 12;

/** How many cores the agents of this host use; nothing is known where there is no /proc. */
export class CpuUsage {
  readonly #options: Pick<DriverOptions, 'db' | 'host'>;
  #before = new Map<number, { ticks: number; at: number }>();

  constructor(options: Pick<DriverOptions, 'db' | 'host'>) {
    this.#options = options;
  }

  /** Notes what was used since the last time. */
  async measure(): Promise<void> {
    const { db, host } = this.#options;
    const now = new Map<number, { ticks: number; at: number }>();
    const used: Parameters<typeof noteCpu>[1] = [];
    for (const instance of await listInstances(db, { host })) {
      const { pid, revision_id, replica } = instance;
      const ticks = pid === null ? undefined : await ticksOf(instance, pid);
      if (pid === null || ticks === undefined) continue;
      const at = performance.now();
      const before = this.#before.get(pid);
      now.set(pid, { ticks, at });
      if (!before) continue;
      const seconds = (at - before.at) / 1000;
      // What ended meanwhile is missing from the sum.
      const cores = Math.max(0, ticks - before.ticks) / TICKS_PER_SECOND / seconds;
      used.push({ revision_id, replica, cores });
    }
    this.#before = now;
    if (used.length > 0) await noteCpu(db, used);
  }
}

/** Processor time of an agent's processes; undefined when none can be seen. */
async function ticksOf(instance: InstanceRow, leader: number): Promise<number | undefined> {
  const group = await openMemoryGroup(instanceName(instance));
  const members = (await group?.pids()) ?? [];
  const pids = members.length > 0 ? members : await descendants(leader);
  const ticks = await Promise.all(pids.map((pid) => ticksOfProcess(pid)));
  const known = ticks.filter((one) => one !== undefined);
  return known.length > 0 ? known.reduce((sum, one) => sum + one) : undefined;
}

async function ticksOfProcess(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && Number(fields[UTIME]) + Number(fields[STIME]);
}

async function descendants(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = await Promise.all(children.trim().split(' ').filter(Boolean).map(Number).map(descendants));
  return [pid, ...below.flat()];
}
