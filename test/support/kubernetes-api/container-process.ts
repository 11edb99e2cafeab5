import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface LogEntry {
  stamp: string;
  text: string;
}

/** Output of one run of a container, with the node's time per line. Emits `line` for each, and `end`. */
export class ContainerLog extends EventEmitter<{ line: [LogEntry]; end: [] }> {
  readonly entries: LogEntry[] = [];
  isOver = false;

  constructor() {
    super();
    this.setMaxListeners(0);
  }

  add(text: string): void {
    // Node has only millisecond precision; many lines share a time, as on a real node.
    const entry = { stamp: new Date().toISOString().replace('Z', '000000Z'), text };
    this.entries.push(entry);
    this.emit('line', entry);
  }

  end(): void {
    this.isOver = true;
    this.emit('end');
  }
}

export interface Exit {
  exitCode: number;
  reason: 'Completed' | 'Error' | 'OOMKilled';
}

const SIGNALLED = 128;
const MEMORY_MS = 50;
const TICKS = 100;
const SIGNALS: Record<string, number> = { SIGKILL: 9, SIGTERM: 15, SIGABRT: 6, SIGINT: 2, SIGSEGV: 11 };

/** A container's process, on this machine, with the memory limit of its container. */
export class ContainerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Exit>;
  readonly #began = Date.now();
  #isOutOfMemory = false;

  constructor(
    command: string[],
    options: { cwd: string; env: Record<string, string>; memoryBytes: number; log: ContainerLog },
  ) {
    const { cwd, env, memoryBytes, log } = options;
    this.child = spawn(command[0]!, command.slice(1), {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      createInterface({ input: stream }).on('line', (line) => log.add(line));
    const watch = setInterval(() => this.#limit(memoryBytes), MEMORY_MS);
    this.ended = new Promise((resolve) => {
      this.child.once('error', () => resolve({ exitCode: 127, reason: 'Error' }));
      this.child.once('close', (code, signal) => {
        const exitCode = code ?? SIGNALLED + (SIGNALS[signal!] ?? 0);
        const reason = this.#isOutOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error';
        resolve({ exitCode, reason });
      });
    });
    void this.ended.then(() => {
      clearInterval(watch);
      // Its child processes end with it, as in a container.
      this.signal('SIGKILL');
      killAll(env['HOSTNAME']!);
      log.end();
    });
  }

  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.child.pid!, name);
    } catch {
      // It is gone.
    }
  }

  /** Its status as the API reports it; undefined once it is gone. */
  usage(): { cpu: string; memory: string } | undefined {
    try {
      const all = treeOf(this.child.pid!).map((pid) =>
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '),
      );
      const sum = (field: number) => all.reduce((total, stat) => total + Number(stat[field]), 0);
      const seconds = (sum(11) + sum(12)) / TICKS;
      const cores = seconds / ((Date.now() - this.#began) / 1_000);
      return { cpu: `${Math.round(cores * 1e9)}n`, memory: `${sum(21) * 4}Ki` };
    } catch {
      return undefined;
    }
  }

  #limit(bytes: number): void {
    try {
      if (bytes === Infinity) return;
      const pages = treeOf(this.child.pid!).map((pid) => {
        const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
        return resident! - shared!;
      });
      if (pages.reduce((sum, one) => sum + one, 0) * 4_096 <= bytes) return;
      this.#isOutOfMemory = true;
      this.signal('SIGKILL');
    } catch {
      // It is gone.
    }
  }
}

/** A process and its descendants. */
function treeOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return [pid, ...children.filter(Boolean).flatMap((child) => treeOf(Number(child)))];
}

/** Kills every process of a container, found by its name. */
function killAll(hostname: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOSTNAME=${hostname}`))
        process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It is gone, or belongs to the system.
    }
}
