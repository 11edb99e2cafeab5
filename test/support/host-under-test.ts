import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { runHost } from '../../src/agent-server/hosts/container/connecting-host.ts';
import { endOf } from '../../src/agent-server/hosts/local-launcher.ts';
import { TokenListener } from '../../src/agent-server/hosts/remote/token-listener.ts';
import { Channel, type Handlers } from '../../src/graph-protocol/channel.ts';
import { Exchange } from '../../src/graph-protocol/exchange.ts';
import { RemoteError } from '../../src/graph-protocol/remote-error.ts';
import { freePort } from '../../src/platform/http/free-port.ts';

export interface HostCommand {
  program: string;
  args: string[];
  env?: Record<string, string>;
  /** The project's folder. */
  dir: string;
}

/** An inherited socket, or an address to which the host connects with a token. */
export type Transport = 'fd' | 'unix' | 'tcp';

export interface HostUnderTest {
  channel: Channel;
  kill(): void;
  /** Number of bytes it has sent. */
  sent(): number;
  /** Its output. */
  output(): string;
  /** Ends the connection. Returns how the host ended. */
  close(): Promise<string>;
}

interface Launched {
  socket: Duplex;
  ended: Promise<string>;
  kill(): void;
}

/** Starts a graph host as the server does, or as `slipway host` does. */
export async function startHost(
  command: HostCommand,
  handlers: Handlers,
  transport: Transport,
): Promise<HostUnderTest> {
  let output = '';
  const print = (text: Buffer) => void (output += text.toString());
  const { socket, ended, kill } =
    transport === 'fd' ? launchHere(command, print) : await launchRemote(command, print, transport);
  const channel = new Channel(socket, { handlers, describeError });
  return {
    channel,
    kill,
    sent: () => (socket as Socket).bytesRead,
    output: () => output,
    close() {
      channel.close();
      return ended;
    },
  };
}

const variablesOf = ({ env }: HostCommand) => ({ PATH: process.env['PATH']!, ...env });

function launchHere(command: HostCommand, print: (text: Buffer) => void): Launched {
  const child = spawn(command.program, command.args, {
    cwd: command.dir,
    env: { ...variablesOf(command), SLIPWAY_HOST_ADDRESS: 'fd:3' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  child.stdout!.on('data', print);
  child.stderr!.on('data', print);
  const socket = child.stdio[3] as unknown as Duplex;
  return { socket, ended: endOf(child), kill: () => void child.kill('SIGKILL') };
}

async function launchRemote(
  command: HostCommand,
  print: (text: Buffer) => void,
  transport: 'unix' | 'tcp',
): Promise<Launched> {
  const folder = await mkdtemp(join(tmpdir(), 'host-socket-'));
  const address =
    transport === 'unix' ? `unix:${join(folder, 'socket')}` : `tcp:127.0.0.1:${await freePort('127.0.0.1')}`;
  const listener = new TokenListener();
  await listener.listen(address);
  const { token, arrived } = listener.expectOne();
  const exchange = new Exchange(1, (_header, body = '') => {
    print(Buffer.from(body));
    exchange.credited(Buffer.byteLength(body));
    return undefined;
  });
  const { program, args } = command;
  const started = { command: [program, ...args], env: variablesOf(command), isConfined: false };
  const ended = runHost(started, { address, token }, exchange).finally(async () => {
    listener.close();
    await rm(folder, { recursive: true, force: true });
  });
  const early = ended.then((how) => Promise.reject(new Error(`the host has not connected: ${how}`)));
  const socket = await Promise.race([arrived, early]);
  early.catch(() => {});
  return { socket, ended, kill: () => exchange.cancel('killed') };
}

function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof RemoteError) return { error: error.name, message: error.message, ...error.details };
  const { name = 'Error', message = String(error) } = error as Error;
  return { error: name, message };
}
