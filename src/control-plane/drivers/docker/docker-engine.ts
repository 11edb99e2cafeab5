import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';

const DEFAULT_PORT = 2375;
const DEFAULT_TLS_PORT = 2376;

/** A client of the configured engine: the path of a socket, or an address as in DOCKER_HOST. */
export async function openEngine(config: ControlPlaneSettings): Promise<Docker> {
  const { SLIPWAY_DOCKER_SOCKET: address, SLIPWAY_DOCKER_CERT_PATH: certificates } = config;
  const { default: Engine } = await import('dockerode');
  if (!address.includes('://')) return new Engine({ socketPath: address });
  const { protocol, hostname, port, pathname } = new URL(address);
  if (protocol === 'unix:') return new Engine({ socketPath: pathname });
  const tls = certificates ? await readCertificates(certificates) : {};
  const isSecure = protocol === 'https:' || !!certificates;
  return new Engine({
    protocol: isSecure ? 'https' : 'http',
    host: hostname,
    port: port || (isSecure ? DEFAULT_TLS_PORT : DEFAULT_PORT),
    ...tls,
  });
}

/** The engine's authority and our certificate, from a folder like DOCKER_CERT_PATH. */
async function readCertificates(folder: string): Promise<{ ca: Buffer; cert: Buffer; key: Buffer }> {
  const [ca, cert, key] = await Promise.all(
    (['ca.pem', 'cert.pem', 'key.pem'] as const).map((name) => readFile(join(folder, name))),
  );
  return { ca: ca!, cert: cert!, key: key! };
}

/** The engine's name among the platform's hosts: all workers that reach it manage the same containers. */
export async function engineHost(docker: Docker): Promise<string> {
  const { ID } = (await docker.info()) as { ID: string };
  return `docker/${ID}`;
}

const MISSING = [404];
// Missing, stopped, or being removed.
export const GONE = [404, 409];

/** The engine's answer; undefined if nothing has that name. */
export const unlessMissing = <Answer>(work: Promise<Answer>): Promise<Answer | undefined> =>
  unless(MISSING, work);

/** The same for an operation on a container; undefined if it comes too late. */
export const unlessGone = <Answer>(work: Promise<Answer>): Promise<Answer | undefined> => unless(GONE, work);

/** The engine's answer; undefined if it refuses with one of these codes. */
export function unless<Answer>(codes: number[], work: Promise<Answer>): Promise<Answer | undefined> {
  return work.catch((error: { statusCode?: number }) => {
    if (codes.includes(error.statusCode ?? 0)) return undefined;
    throw error;
  });
}
