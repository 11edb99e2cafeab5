import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentPort } from '../../src/control-plane/drivers/agent-port.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const PROGRAM = '/usr/sbin/sshd';

/** Why no server can be started here; undefined when one can. */
export const noSshServer = existsSync(PROGRAM) ? undefined : `there is no ${PROGRAM} (openssh-server)`;

export interface SshServer {
  /** `user@host:port`, as addresses have it. */
  place: string;
  /** Line of known_hosts that tells its key. */
  knownHost: string;
  /** A key it lets in, and one it does not know. */
  key: string;
  strangeKey: string;
  stop(): Promise<void>;
}

/** A real sshd of ours alone, for the user that runs the tests, on a port of its own. */
export async function startSshServer(): Promise<SshServer> {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-sshd-'));
  const at = (name: string) => join(dir, name);
  for (const name of ['host', 'client', 'strange'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)]);
  const port = await agentPort();
  const config = [
    `Port ${port}`,
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
  // Where the server of root gives its rights away; distributions make it at boot.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const child: ChildProcess = spawn(PROGRAM, ['-D', '-e', '-f', at('config')], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until('sshd listens', () => listens(port));
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

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
