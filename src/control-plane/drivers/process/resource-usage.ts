import { readFile } from 'node:fs/promises';
import { instanceName } from './instance-folder.ts';
import type { InstanceRow } from '../instance-repository.ts';
import type { Used } from '../usage-meter.ts';
import { openMemoryGroup } from './memory-group.ts';

// Fixed for user space on Linux.
const TICKS_PER_SECOND = 100;
// Fields of /proc/<pid>/stat after the program's name, which may contain anything: user and system time, memory in
// pages.
const UTIME = 11;
const STIME = 12;
const RESIDENT = 21;
// For pages of 4 KB; with larger pages, the result is too small.
const PAGES_PER_MB = 256;

interface Seen {
  ticks: number;
  megabytes: number;
}

/** Total usage of an agent's processes; undefined if none are visible, as without /proc. */
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
