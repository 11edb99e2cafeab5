import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../src/platform/package-root.ts';
import { endOf } from './child-end.ts';

/** A started server or worker. */
export interface ServerProcess {
  /** Empty for a worker. */
  url: string;
  child: ChildProcess;
  /** Everything it has logged so far. */
  logs(): string;
  /** Sends the signal and waits until the process has ended. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const READY = /"(?:(?:agent server|platform) ready at (http\S+?)|(?:platform )?worker ready)"/;

/** Starts a server in Node and waits until it is ready; rejects with its output if it ends first. */
export async function startServer(
  args: string[],
  env: NodeJS.ProcessEnv,
  name = args.join(' '),
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    cwd: packageRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = endOf(child);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`;
      const ready = READY.exec(line);
      if (ready) resolve(ready[1] ?? '');
    });
    void exited.then((code) => reject(new Error(`${name} ended with ${code}:\n${output}`)));
  });
  return {
    url,
    child,
    logs: () => output,
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exited;
    },
  };
}
