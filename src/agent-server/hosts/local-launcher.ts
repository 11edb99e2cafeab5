import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { exportScript } from '../../platform/export-script.ts';
import { ProcessGuard } from '../../platform/process-guard.ts';
import type { Language } from '../../graph-protocol/language.ts';
import type { HostCommand } from './host-command.ts';
import type { HostLauncher, LaunchedHost } from './host-launcher.ts';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
// A host closes what the project has opened when it loses its server.
const CLOSES_WITHIN_SECONDS = 5;

/** Starts hosts on this machine. A host that cannot be spawned is reported as ended. */
export class LocalLauncher implements HostLauncher {
  readonly isReachable = true;
  readonly #commandOf: (language: Language) => HostCommand;

  constructor(commandOf: (language: Language) => HostCommand) {
    this.#commandOf = commandOf;
  }

  async launch(language: Language): Promise<LaunchedHost> {
    const { command, env, isConfined } = this.#commandOf(language);
    const [program, ...args] = command;
    const variables = { ...env, SLIPWAY_HOST_ADDRESS: 'fd:3' };
    const child = spawn(program!, args, {
      // The project's variables, such as LD_PRELOAD, could make root load its libraries.
      env: isConfined ? { PATH: SYSTEM_PATH } : variables,
      stdio: [isConfined ? 'pipe' : 'ignore', 'inherit', 'inherit', 'pipe'],
      // A signal to the server's process group must not end the hosts: the server still finishes its runs.
      detached: true,
    });
    child.stdin?.on('error', () => {}).end(exportScript(variables));
    const ended = endOf(child);
    guardHost(child.pid, ended);
    return {
      socket: child.stdio[3] as unknown as Duplex,
      ended,
      kill: () => void child.kill('SIGKILL'),
    };
  }

  close(): void {}
}

/** A host whose code blocks it does not notice that its server was killed. */
function guardHost(pid: number | undefined, ended: Promise<string>): void {
  if (pid === undefined) return;
  const guard = new ProcessGuard(pid, { graceSeconds: CLOSES_WITHIN_SECONDS });
  void ended.then(() => guard.release());
}

/** Settles when the process has ended, with how it ended. */
export const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
  });
