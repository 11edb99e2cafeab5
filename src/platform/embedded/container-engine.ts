import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './cache-dir.ts';

const ANSWER_WITHIN_MS = 2_000;

/** Address of a Docker-compatible API on this machine (including Podman's); undefined if none responds. */
export async function findContainerEngine(env: Environment): Promise<string | undefined> {
  for (const address of env.DOCKER_HOST ? [env.DOCKER_HOST] : usualSockets(env)) {
    if (await answersPing(address)) return address;
  }
  return undefined;
}

function usualSockets(env: Environment): string[] {
  const session = env.XDG_RUNTIME_DIR;
  return [
    '/var/run/docker.sock',
    join(env.HOME ?? homedir(), '.docker', 'run', 'docker.sock'),
    ...(session ? [join(session, 'docker.sock'), join(session, 'podman', 'podman.sock')] : []),
    '/run/podman/podman.sock',
  ].map((path) => `unix://${path}`);
}

function answersPing(address: string): Promise<boolean> {
  const { protocol, pathname, hostname, port } = new URL(address);
  if (protocol !== 'unix:' && protocol !== 'tcp:' && protocol !== 'http:') return Promise.resolve(false);
  const where = protocol === 'unix:' ? { socketPath: pathname } : { host: hostname, port: port || 2375 };
  return new Promise((resolve) => {
    const ping = request({ ...where, path: '/_ping', timeout: ANSWER_WITHIN_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.once('timeout', () => ping.destroy()).once('error', () => resolve(false));
    ping.end();
  });
}
