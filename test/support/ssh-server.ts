import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentPort } from '../../src/control-plane/drivers/agent-port.ts';
import { installPackage } from './debian-package.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const PROGRAM = '/usr/sbin/sshd';

/** Why no server can start here; undefined if one can. Installs Debian's if allowed. */
export async function noSshServer(): Promise<string | undefined> {
  if (existsSync(PROGRAM)) return undefined;
  return installPackage('openssh-server', `command -v ${PROGRAM}`).then(
    () => undefined,
    (error: Error) => `there is no ${PROGRAM}, and openssh-server was not installed: ${error.message}`,
  );
}

export interface SshServer {
  /** `user@host:port`, as in addresses. */
  place: string;
  /** The known_hosts line with its key. */
  knownHost: string;
  /** A key it accepts, and an unknown one. */
  key: string;
  strangeKey: string;
  stop(): Promise<void>;
}

/** A private sshd on its own port, for the user that runs the tests. */
export async function startSshServer(): Promise<SshServer> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-sshd-'));
  const at = (name: string) => join(dir, name);
  for (const name of ['host', 'client', 'strange'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)]);
  const config = [
    'ListenAddress 127.0.0.1',
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('client.pub')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
  ];
  await writeFile(at('config'), `${config.join('\n')}\n`);
  // The folder sshd needs for privilege separation as root; distributions create it at boot.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const { port, child, ended } = await listenSomewhere(at('config'));
  const [type, hostKey] = (await readFile(at('host.pub'), 'utf8')).split(' ');
  return {
    place: `${userInfo().username}@localhost:${port}`,
    knownHost: `[localhost]:${port} ${type} ${hostKey}`,
    key: await readFile(at('client'), 'utf8'),
    strangeKey: await readFile(at('strange'), 'utf8'),
    async stop() {
      child.kill();
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Another process may take a free port before we use it. */
async function listenSomewhere(
  config: string,
): Promise<{ port: number; child: ChildProcess; ended: Promise<unknown> }> {
  for (;;) {
    const port = await agentPort();
    const child = spawn(PROGRAM, ['-D', '-e', '-f', config, '-p', String(port)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let output = '';
    let isOver = false;
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('close', () => (isOver = true));
    await until('sshd listens', () => output.includes('Server listening') || isOver);
    if (!isOver) return { port, child, ended };
    if (!/Cannot bind|in use/.test(output)) throw new Error(`sshd ended: ${output}`);
  }
}
