import type Docker from 'dockerode';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';

const DEFAULT_PORT = 2375;

/** A client of the engine the settings name: a socket's path, or an address as DOCKER_HOST has it. */
export async function openEngine({ SLIPWAY_DOCKER_SOCKET: address }: ControlPlaneSettings): Promise<Docker> {
  const { default: Engine } = await import('dockerode');
  if (!address.includes('://')) return new Engine({ socketPath: address });
  const { protocol, hostname, port, pathname } = new URL(address);
  if (protocol === 'unix:') return new Engine({ socketPath: pathname });
  return new Engine({
    protocol: protocol === 'https:' ? 'https' : 'http',
    host: hostname,
    port: port || DEFAULT_PORT,
  });
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
