import { readdir, readFile } from 'node:fs/promises';

/** CPU milliseconds spent so far by each part of the platform, and by the bench itself. */
export interface CpuTimes {
  server: number;
  temporal: number;
  postgres: number;
  client: number;
}

// The kernel's clock tick, 100 a second on every Linux that Node runs on.
const MS_PER_TICK = 10;

interface ProcessStat {
  pid: number;
  parent: number;
  name: string;
  /** Its own and that of its children that have ended. */
  cpuMs: number;
}

/** Reads what /proc tells of a server process and of everything it started; elsewhere than on Linux, nothing. */
export class ProcessUsage {
  readonly #pid: number;
  #highestRss = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Largest resident size seen of the server process, in MB. */
  get highestRss(): number {
    return this.#highestRss;
  }

  watch(everyMs = 200): void {
    this.#timer ??= setInterval(() => void this.#sample(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async cpuTimes(): Promise<CpuTimes> {
    const { user, system } = process.cpuUsage();
    const times = { server: 0, temporal: 0, postgres: 0, client: (user + system) / 1000 };
    for (const { pid, name, cpuMs } of await this.#family()) {
      if (pid === this.#pid) times.server += cpuMs;
      else if (name === 'temporal') times.temporal += cpuMs;
      else if (name === 'postgres') times.postgres += cpuMs;
    }
    return times;
  }

  async #sample(): Promise<void> {
    const status = await readFile(`/proc/${this.#pid}/status`, 'utf8').catch(() => '');
    const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    this.#highestRss = Math.max(this.#highestRss, kilobytes / 1024);
  }

  async #family(): Promise<ProcessStat[]> {
    const names = await readdir('/proc').catch(() => []);
    const read = names.filter((name) => /^\d+$/.test(name)).map(readStat);
    const all = (await Promise.all(read)).filter((stat) => stat !== undefined);
    const family = new Set([this.#pid]);
    // A child's pid may be smaller than its parent's: look until nobody new is found.
    for (let size = 0; size < family.size;) {
      size = family.size;
      for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
    }
    return all.filter(({ pid }) => family.has(pid));
  }
}

async function readStat(pid: string): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const fields = rest.split(' ');
  // Fields 14 to 17 of proc(5), counted without the two before.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid: Number(pid), parent: Number(fields[1]), name, cpuMs: ticks * MS_PER_TICK };
}
