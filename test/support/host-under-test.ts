import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Channel, type Handlers } from '../../src/graph-protocol/channel.ts';
import { RemoteError } from '../../src/graph-protocol/remote-error.ts';

export interface HostCommand {
  program: string;
  args: string[];
  env?: Record<string, string>;
  /** The project's folder. */
  dir: string;
}

export interface HostUnderTest {
  channel: Channel;
  process: ChildProcess;
  /** Bytes it has sent. */
  sent(): number;
  /** What it has printed. */
  output(): string;
  /** Ends the connection; the host's exit code. */
  close(): Promise<number | null>;
}

/** Starts a graph host and connects to it as the server does. */
export async function startHost(command: HostCommand, handlers: Handlers): Promise<HostUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  const path = join(folder, 'socket');
  const server = createServer().listen(path);
  await once(server, 'listening');
  const child = spawn(command.program, command.args, {
    cwd: command.dir,
    env: { PATH: process.env['PATH'], ...command.env, SLIPWAY_HOST_ADDRESS: `unix:${path}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const [socket] = (await Promise.race([
    once(server, 'connection'),
    exit.then(([code]) => Promise.reject(new Error(`the host exited with ${code}: ${output}`))),
  ])) as [Socket];
  server.close();
  const channel = new Channel(socket, { handlers, describeError });
  return {
    channel,
    process: child,
    sent: () => socket.bytesRead,
    output: () => output,
    async close() {
      channel.close();
      const [code] = await exit;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof RemoteError) return { error: error.name, message: error.message, ...error.details };
  const { name = 'Error', message = String(error) } = error as Error;
  return { error: name, message };
}
