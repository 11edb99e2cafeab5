import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { EmbeddedStartFailed, PortTaken } from './start-failed.ts';

export const LOOPBACK = '127.0.0.1';

const SEARCHED = 200;

/** The ports of the last start on this data directory, or the defaults. */
export async function rememberedPorts<Ports extends Record<string, number>>(
  dataDir: string,
  service: string,
  otherwise: Ports,
): Promise<Ports> {
  try {
    return { ...otherwise, ...(JSON.parse(await readFile(portsPath(dataDir, service), 'utf8')) as Ports) };
  } catch {
    return otherwise;
  }
}

export async function rememberPorts(
  dataDir: string,
  service: string,
  ports: Record<string, number>,
): Promise<void> {
  await writeFile(portsPath(dataDir, service), `${JSON.stringify(ports)}\n`);
}

const portsPath = (dataDir: string, service: string) => join(dataDir, 'run', `${service}-ports.json`);

/**
 * The fixed port, or the first free one from `preferred` on. Throws PortTaken if the fixed port is taken,
 * EmbeddedStartFailed if none is free.
 */
export async function choosePort(service: string, preferred: number, fixed?: number): Promise<number> {
  if (fixed !== undefined) {
    if (await isFree(fixed)) return fixed;
    throw new PortTaken(service, fixed);
  }
  for (let port = preferred; port < preferred + SEARCHED && port < 65_536; port++) {
    if (await isFree(port)) return port;
  }
  throw new EmbeddedStartFailed(
    `No port from ${preferred} to ${preferred + SEARCHED - 1} is free for ${service}.`,
  );
}

/** Also tries to connect, because macOS allows binding a loopback port that is bound on all addresses. */
async function isFree(port: number): Promise<boolean> {
  return !(await accepts(port)) && (await binds(port));
}

/** Whether something accepts connections on the loopback port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    const answer = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}

function binds(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
