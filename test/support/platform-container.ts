import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import { until } from './until.ts';
import type { DockerEngine } from './docker-engine.ts';
import type { TestPlatform } from './platform.ts';
import { type Relay, relay } from './relay.ts';

export interface PlatformContainer {
  /** URL for clients. */
  url: string;
  /** The network of the platform and its agents. */
  network: string;
  logs(): Promise<string>;
  stop(): Promise<void>;
}

const PORT = 8080;

/**
 * A platform as in the compose file: a container in a network with its agents, which reaches the engine over TLS
 * if the engine supports it, and the test run's Postgres and Temporal at an address in that network.
 */
export async function startPlatformContainer(
  { docker, image, address, tls }: DockerEngine,
  { env, dataDir }: TestPlatform,
  more: Record<string, string>,
): Promise<PlatformContainer> {
  const name = `slipway-test-${randomUUID().slice(0, 8)}`;
  const network = await docker.createNetwork({ Name: name, Driver: 'bridge' });
  const { IPAM } = (await network.inspect()) as { IPAM: { Config: { Gateway: string }[] } };
  const gateway = IPAM.Config[0]!.Gateway;
  const relays: Relay[] = [];
  const open = async (host: string, target: () => { host: string; port: number } | undefined) => {
    const opened = await relay(host, target);
    relays.push(opened);
    return opened.port;
  };
  const local = (port: number | string) => () => ({ host: '127.0.0.1', port: Number(port) });

  const database = new URL(env['DATABASE_URL']!);
  database.port = String(await open(gateway, local(database.port)));
  database.hostname = gateway;
  const temporal = await open(gateway, local(env['TEMPORAL_ADDRESS']!.split(':')[1]!));
  let reached: string | undefined;
  const port = await open('127.0.0.1', () => (reached ? { host: reached, port: PORT } : undefined));
  const url = `http://localhost:${port}`;
  const socket = tls ? `tcp://${tls.name}:${await open(gateway, local(tls.port))}` : address;
  const settings = {
    ...env,
    DATABASE_URL: database.href,
    TEMPORAL_ADDRESS: `${gateway}:${temporal}`,
    HOST: '0.0.0.0',
    PORT: String(PORT),
    SLIPWAY_PUBLIC_URL: url,
    SLIPWAY_DRIVER: 'docker',
    SLIPWAY_DOCKER_SOCKET: socket,
    ...(tls && { SLIPWAY_DOCKER_CERT_PATH: tls.certificates }),
    SLIPWAY_DOCKER_NETWORK: name,
    SLIPWAY_DOCKER_BASE_IMAGE: image,
    ...more,
  };
  const shared = tls ? `${tls.certificates}:ro` : new URL(address).pathname;
  const container: Docker.Container = await docker.createContainer({
    name,
    Image: image,
    Cmd: ['platform'],
    Env: Object.entries(settings).map(([key, value]) => `${key}=${value}`),
    HostConfig: {
      NetworkMode: name,
      Binds: [`${dataDir}:${dataDir}`, `${shared.replace(/:ro$/, '')}:${shared}`],
      ...(tls && { ExtraHosts: [`${tls.name}:${gateway}`] }),
    },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  reached = NetworkSettings.Networks[name]!.IPAddress;
  const logs = async () => (await container.logs({ stdout: true, stderr: true })).toString();
  await until('the platform answers', async () => {
    const { State } = await container.inspect();
    if (!State.Running) throw new Error(`the platform ended:\n${await logs()}`);
    return fetch(`${url}/ok`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    url,
    network: name,
    logs,
    async stop() {
      await container.remove({ force: true });
      await network.remove();
      for (const one of relays) await one.close();
    },
  };
}
