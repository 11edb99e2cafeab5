import { createHash } from 'node:crypto';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { InstanceKey } from '../instance-repository.ts';

/** Labels by which containers and volumes are found again. */
export const LABEL = {
  platform: 'slipway.platform',
  deployment: 'slipway.deployment',
  revision: 'slipway.revision',
  replica: 'slipway.replica',
  /** Of a container: its part in the replica. */
  part: 'slipway.part',
} as const;

/** `server` and `host` go together; `image` is an image that serves the API itself; `network` belongs to `host` or `image`. */
export type Part = 'server' | 'host' | 'image' | 'network';

export interface ReplicaNames {
  /** Container of the server or the image, and its name in the network. */
  main: string;
  host: string;
  network: string;
  /** Volume with the socket that server and host share. */
  socket: string;
}

export function replicaNames({ revision_id, replica }: InstanceKey): ReplicaNames {
  const main = `slipway-${revision_id}-${replica}`;
  return { main, host: `${main}-host`, network: `${main}-network`, socket: `${main}-socket` };
}

/** Platforms can share an engine: each sweeps its own, known by its name and its database. */
export function platformLabel(
  { SLIPWAY_PLATFORM: name }: Pick<ControlPlaneSettings, 'SLIPWAY_PLATFORM'>,
  databaseUrl: string,
): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const hash = createHash('sha256').update(`${hostname}:${port}${pathname}`).digest('hex');
  return `${name}.${hash.slice(0, 12)}`;
}

/** Name of the network that the graph hosts of a platform share. */
export const hostsNetwork = (platform: string): string => `slipway-hosts-${platform}`;
