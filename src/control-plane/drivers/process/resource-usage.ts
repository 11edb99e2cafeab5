import { readFile } from 'node:fs/promises';
import { instanceName } from './instance-folder.ts';
import type { InstanceRow } from '../instance-repository.ts';
import type { Used } from '../usage-meter.ts';
import { openMemoryGroup } from './memory-group.ts';

// Linux counts in hundredths of a second, for everybody.
const TICKS_PER_SECOND = 100;
// After the name of the program, which may hold anything: user and system time, and memory in pages.
const UTIME = 11;
const STIME = 12;
const RESIDENT = 21;
// Of the machines Node.js is made for; where pages are larger, less is seen than there is.
const PAGES_PER_MB = 256;

interface Seen {
  ticks: number;
  megabytes: number;
}

/** Of an agent's processes together; undefined when none can be seen, as where there is no /proc. */
export async function usedByProcesses(instance: InstanceRow): Promise<Used | undefined> {
  const { pid: leader } = instance;
  if (leader === null) return undefined;
  const group = await openMemoryGroup(instanceName(instance));
  const members = (await group?.pids()) ?? [];
  const pids = members.length > 0 ? members : await descendants(leader);
  const known = (await Promise.all(pids.map((pid) => usedByProcess(pid)))).filter((one) => one !== undefined);
  if (known.length === 0) return undefined;
  const { ticks, megabytes } = known.reduce((sum, one) => ({
    ticks: sum.ticks + one.ticks,
    megabytes: sum.megabytes + one.megabytes,
  }));
  return { program: String(leader), processorSeconds: ticks / TICKS_PER_SECOND, megabytes };
}

async function usedByProcess(pid: number): Promise<Seen | undefined> {
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
