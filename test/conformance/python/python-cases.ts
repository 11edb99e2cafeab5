import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface Outcome {
  name: string;
  ok: boolean;
  detail: string;
}

const ours = fileURLToPath(new URL('main.py', import.meta.url));
// None of the developer's settings: no keys, no proxy between client and server.
const env = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  PYTHONDONTWRITEBYTECODE: '1',
  LANGSMITH_TRACING: 'false',
};

export async function listCases(python: string, program = ours): Promise<string[]> {
  const { stdout } = await promisify(execFile)(python, [program, '--list'], { env });
  return JSON.parse(stdout) as string[];
}

/** Runs the cases in one process against a server. */
export class PythonCases {
  readonly #outcomes = new Map<string, Outcome>();
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();
  readonly #stop: () => void;
  #ended: string | undefined;

  constructor(python: string, url: string, { program = ours, args = [] as string[] } = {}) {
    const child = spawn(python, [program, url, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    createInterface({ input: child.stdout }).on('line', (line) => this.#note(JSON.parse(line) as Outcome));
    child.once('close', (code, signal) => {
      this.#ended = `the process ended with ${code ?? signal} before this case:\n${errors.slice(-4_000)}`;
      for (const name of this.#waiting.keys()) this.#note({ name, ok: false, detail: this.#ended });
    });
    this.#stop = () => child.kill('SIGKILL');
  }

  /** Throws the case's failure. */
  async check(name: string): Promise<void> {
    const { ok, detail } = await this.#outcome(name);
    if (!ok) throw new Error(detail);
  }

  stop(): void {
    this.#stop();
  }

  #note(outcome: Outcome): void {
    this.#outcomes.set(outcome.name, outcome);
    this.#waiting.get(outcome.name)?.(outcome);
  }

  async #outcome(name: string): Promise<Outcome> {
    const known = this.#outcomes.get(name);
    if (known) return known;
    if (this.#ended !== undefined) return { name, ok: false, detail: this.#ended };
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }
}
