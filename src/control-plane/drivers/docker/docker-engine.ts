import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';

const DEFAULT_PORT = 2375;
const DEFAULT_TLS_PORT = 2376;

/** A client of the engine the settings name: a socket's path, or an address as DOCKER_HOST has it. */
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

/** Whom the engine must be signed by, and who we are, as DOCKER_CERT_PATH holds them. */
async function readCertificates(folder: string): Promise<{ ca: Buffer; cert: Buffer; key: Buffer }> {
  const [ca, cert, key] = await Promise.all(
    (['ca.pem', 'cert.pem', 'key.pem'] as const).map((name) => readFile(join(folder, name))),
  );
  return { ca: ca!, cert: cert!, key: key! };
}

/** Name of the engine among the hosts of the platform: whoever reaches it looks after the same containers. */
export async function engineHost(docker: Docker): Promise<string> {
  const { ID } = (await docker.info()) as { ID: string };
  return `docker/${ID}`;
}

const MISSING = [404];
// Not there, not running, or on its way out.
const GONE = [404, 409];

/** What the engine answers; undefined where it has nothing of that name. */
export const unlessMissing = <Answer>(work: Promise<Answer>): Promise<Answer | undefined> =>
  unless(MISSING, work);

/** The same for what is done to a container: undefined for who comes too late. */
export const unlessGone = <Answer>(work: Promise<Answer>): Promise<Answer | undefined> => unless(GONE, work);

function unless<Answer>(codes: number[], work: Promise<Answer>): Promise<Answer | undefined> {
  return work.catch((error: { statusCode?: number }) => {
    if (codes.includes(error.statusCode ?? 0)) return undefined;
    throw error;
  });
}
