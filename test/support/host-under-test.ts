import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ListenOptions, type Socket } from 'node:net';
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

/** Starts a graph host at our end of a socket that it inherits, as the server does. */
export async function startHost(command: HostCommand, handlers: Handlers): Promise<HostUnderTest> {
  const child = spawnHost(command, { SLIPWAY_HOST_ADDRESS: 'fd:3' });
  return underTest(child, child.stdio[3] as unknown as Socket, handlers);
}

/** Starts a graph host that connects to where we listen. */
export async function startConnectingHost(
  command: HostCommand,
  handlers: Handlers,
  { listen, address, token }: { listen: ListenOptions; address: (port: number) => string; token?: string },
): Promise<HostUnderTest> {
  const server = createServer().listen(listen);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const env = { SLIPWAY_HOST_ADDRESS: address(port), ...(token && { SLIPWAY_HOST_TOKEN: token }) };
  const child = spawnHost(command, env);
  const exited = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`the host exited with ${code}`)),
  );
  const [socket] = (await Promise.race([once(server, 'connection'), exited])) as [Socket];
  exited.catch(() => {});
  server.close();
  return underTest(child, socket, handlers);
}

const spawnHost = ({ program, args, dir, env }: HostCommand, address: Record<string, string>): ChildProcess =>
  spawn(program, args, {
    cwd: dir,
    env: { PATH: process.env['PATH'], ...env, ...address },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });

function underTest(child: ChildProcess, socket: Socket, handlers: Handlers): HostUnderTest {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const channel = new Channel(socket, { handlers, describeError });
  return {
    channel,
    process: child,
    sent: () => socket.bytesRead,
    output: () => output,
    async close() {
      channel.close();
      const [code] = await exit;
      return code;
    },
  };
}

function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof RemoteError) return { error: error.name, message: error.message, ...error.details };
  const { name = 'Error', message = String(error) } = error as Error;
  return { error: name, message };
}
