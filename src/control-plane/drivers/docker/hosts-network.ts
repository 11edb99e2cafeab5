import type Docker from 'dockerode';
import { GONE, unless } from './docker-engine.ts';
import { hostsNetwork, LABEL } from './replica-names.ts';

const CONFLICT = 409;
const IN_USE = 403;

/** Makes the network of a platform's graph hosts, unless it exists. They can't reach each other in it. */
export async function ensureHostsNetwork(docker: Docker, platform: string): Promise<void> {
  const Name = hostsNetwork(platform);
  const found = await docker.listNetworks({ filters: { name: [`^${Name}$`] } });
  if (found.length > 0) return;
  await unless(
    [CONFLICT],
    docker.createNetwork({
      Name,
      Driver: 'bridge',
      CheckDuplicate: true,
      Labels: { [LABEL.platform]: platform },
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
    }),
  );
}

/** Removes it, unless it has containers. */
export async function removeHostsNetwork(docker: Docker, platform: string): Promise<void> {
  await unless([...GONE, IN_USE], docker.getNetwork(hostsNetwork(platform)).remove());
}
