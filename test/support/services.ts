import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/platform/package-root.ts';
import { emptyTemporal } from './empty-temporal.ts';
import { ownPorts } from './own-ports.ts';

type Service = 'postgres' | 'temporal';

/** Separate Postgres and Temporal that a test may kill; they restart by themselves on the same ports. */
export interface Services {
  databaseUrl: string;
  temporalAddress: string;
  signal(service: Service, signal: NodeJS.Signals): Promise<void>;
  /** Restarts Temporal with an empty store. */
  emptyTemporal(): Promise<void>;
  stop(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-services-'));
  await ownPorts(dir);
  const program = fileURLToPath(new URL('test/faults/embedded-process.ts', packageRoot));
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', program, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const output: string[] = [];
  const ready = new Promise<Pick<Services, 'databaseUrl' | 'temporalAddress'>>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      output.push(line);
      if (line.startsWith('{')) resolve(JSON.parse(line) as Services);
    });
    void exited.then(() => reject(new Error(`The services ended:\n${output.join('\n')}`)));
  });
  return {
    ...(await ready),
    async signal(service, signal) {
      const record = await readFile(join(dir, 'run', `${service}.json`), 'utf8');
      process.kill((JSON.parse(record) as { pid: number }).pid, signal);
    },
    emptyTemporal: () => emptyTemporal(dir),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
