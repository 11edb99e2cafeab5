import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
const MB = 1024 * 1024;

/** A control group that limits the memory of one instance, and knows all its processes. */
export interface MemoryGroup {
  /** A process that writes its id here belongs to the group, with all it starts. */
  procs: string;
  /** Whether the system has ended a process of the group because of its limit. */
  ranOut(): Promise<boolean>;
  pids(): Promise<number[]>;
  /** Only when no process of it is left. */
  remove(): Promise<void>;
}

/** The group of a name, limited to so many MB; undefined where this machine lets us have none. */
export async function makeMemoryGroup(name: string, megabytes: number): Promise<MemoryGroup | undefined> {
  const group = await openMemoryGroup(name);
  if (!group) return undefined;
  try {
    await mkdir(group.path, { recursive: true });
    await writeFile(join(group.path, group.limit), String(megabytes * MB));
    return group;
  } catch {
    await group.remove();
    return undefined;
  }
}

/** The group as an earlier process left it, or would have. */
export async function openMemoryGroup(
  name: string,
): Promise<(MemoryGroup & { path: string; limit: string }) | undefined> {
  const version = await findVersion();
  if (!version) return undefined;
  const path = join(version.base, name);
  const procs = join(path, 'cgroup.procs');
  const read = (file: string) => readFile(join(path, file), 'utf8').catch(() => '');
  return {
    path,
    limit: version.limit,
    procs,
    ranOut: async () => /oom_kill [1-9]/.test(await read(version.events)),
    pids: async () => (await read('cgroup.procs')).split('\n').filter(Boolean).map(Number),
    remove: () => rmdir(path).catch(() => {}),
  };
}

interface Version {
  base: string;
  limit: string;
  events: string;
}

let found: Promise<Version | undefined> | undefined;
const findVersion = () => (found ??= lookForVersion().catch(() => undefined));

async function lookForVersion(): Promise<Version> {
  const groups = await readFile('/proc/self/cgroup', 'utf8');
  const own = /^\d+:memory:(.*)$/m.exec(groups)?.[1];
  if (own !== undefined) {
    const base = join(ROOT, 'memory', own, 'slipway');
    await mkdir(base, { recursive: true });
    return { base, limit: 'memory.limit_in_bytes', events: 'memory.oom_control' };
  }
  const base = join(ROOT, 'slipway');
  await mkdir(base, { recursive: true });
  for (const parent of [ROOT, base]) await writeFile(join(parent, 'cgroup.subtree_control'), '+memory');
  return { base, limit: 'memory.max', events: 'memory.events' };
}
