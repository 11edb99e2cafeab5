import { readdir, readFile } from 'node:fs/promises';

/** What a stretch of time cost. */
export interface Usage {
  /** CPU milliseconds of each part of the platform, and of the bench itself. Graph hosts are part of the server. */
  cpu: { server: number; temporal: number; postgres: number; client: number };
  /** Processors that everything else on the machine kept busy. */
  others: number;
  /** Largest resident size seen of the server and its graph hosts together, in MB. */
  rss: number;
}

type Times = Usage['cpu'] & { busy: number; at: number };

// The kernel's clock tick, 100 a second on every Linux that Node runs on.
const MS_PER_TICK = 10;
const SAMPLE_EVERY_MS = 200;
const SERVICES = new Set(['temporal', 'postgres']);

/** Reads what /proc tells of a server process and of all that it started; elsewhere than on Linux, nothing. */
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

  /** Begins a stretch of time; the function returned ends it. */
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
    // A child's pid may be smaller than its parent's: look until nobody new is found.
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
  /** Its own and that of its children that have ended. */
  cpuMs: number;
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

/** What all processors of the machine have done so far, and what their host kept from them. */
async function busyMs(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const counts = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '').split(' ').map(Number);
  const [user = 0, nice = 0, system = 0, _idle, _waiting, irq = 0, soft = 0, stolen = 0] = counts;
  return (user + nice + system + irq + soft + stolen) * MS_PER_TICK;
}
