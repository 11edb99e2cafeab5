import { readdir, readFile } from 'node:fs/promises';

/** Resource usage during a period. */
export interface Usage {
  /** CPU time of each part of the platform and of the benchmark, in ms. Graph hosts count as server. */
  cpu: { server: number; temporal: number; postgres: number; client: number };
  /** CPUs kept busy by everything else on the machine. */
  others: number;
  /** Largest resident size of the server with its graph hosts, in MB. */
  rss: number;
}

type Times = Usage['cpu'] & { busy: number; at: number };

// The kernel's clock tick, 100 a second on every Linux that Node runs on.
const MS_PER_TICK = 10;
const SAMPLE_EVERY_MS = 200;
const SERVICES = new Set(['temporal', 'postgres']);

/** Reads the usage of a server and its child processes from /proc; works only on Linux. */
export class ProcessUsage {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #highestRss = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Starts a period; the returned function ends it. */
  async start(): Promise<() => Promise<Usage>> {
    this.#highestRss = 0;
    const before = await this.#times();
    return async () => {
      await this.#sample();
      const after = await this.#times();
      const spent = (part: keyof Times) => after[part] - before[part];
      const [server, temporal, postgres] = [spent('server'), spent('temporal'), spent('postgres')];
      const client = spent('client');
      const others = (spent('busy') - server - temporal - postgres - client) / spent('at');
      return { cpu: { server, temporal, postgres, client }, others, rss: this.#highestRss };
    };
  }

  async #sample(): Promise<void> {
    const ours = (await this.#family()).filter(({ name }) => !SERVICES.has(name));
    const sizes = await Promise.all(ours.map(({ pid }) => residentMb(pid)));
    this.#highestRss = Math.max(
      this.#highestRss,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }

  async #times(): Promise<Times> {
    const { user, system } = process.cpuUsage();
    const client = (user + system) / 1000;
    const times = {
      server: 0,
      temporal: 0,
      postgres: 0,
      client,
      busy: await busyMs(),
      at: performance.now(),
    };
    for (const { name, cpuMs } of await this.#family()) {
      if (name === 'temporal') times.temporal += cpuMs;
      else if (name === 'postgres') times.postgres += cpuMs;
      else times.server += cpuMs;
    }
    return times;
  }

  async #family(): Promise<ProcessStat[]> {
    const names = await readdir('/proc').catch(() => []);
    const read = names.filter((name) => /^\d+$/.test(name)).map(readStat);
    const all = (await Promise.all(read)).filter((stat) => stat !== undefined);
    const family = new Set([this.#pid]);
    // A child's pid may be smaller than its parent's, so repeat until no more are found.
    for (let size = 0; size < family.size;) {
      size = family.size;
      for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
    }
    return all.filter(({ pid }) => family.has(pid));
  }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

interface ProcessStat {
  pid: number;
  parent: number;
  name: string;
  /** CPU time of the process and of its children that have ended. */
  cpuMs: number;
}

async function readStat(pid: string): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const fields = rest.split(' ');
  // Fields 14 to 17 of /proc/<pid>/stat; the first two are stripped.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid: Number(pid), parent: Number(fields[1]), name, cpuMs: ticks * MS_PER_TICK };
}

/** Total busy time of the machine's CPUs, including time stolen by its hypervisor. */
async function busyMs(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const counts = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '').split(' ').map(Number);
  const [user = 0, nice = 0, system = 0, _idle, _waiting, irq = 0, soft = 0, stolen = 0] = counts;
  return (user + nice + system + irq + soft + stolen) * MS_PER_TICK;
}
