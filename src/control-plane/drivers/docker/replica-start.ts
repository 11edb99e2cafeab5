import type Docker from 'dockerode';
import type { Container } from 'dockerode';
import type { Destination } from '../../fence/destinations.ts';
import type { ContainerFence } from './container-fence.ts';
import {
  hostSpec,
  imageSpec,
  labelsOf,
  networkSpec,
  PORT,
  type ReplicaPlan,
  serverSpec,
} from './container-spec.ts';
import { ensureHostsNetwork } from './hosts-network.ts';
import { startContainer } from './replica-containers.ts';
import { replicaNames } from './replica-names.ts';

const SOCKET_VOLUME = 'size=1m,mode=1777,nosuid,nodev,noexec';

export interface Start {
  plan: ReplicaPlan;
  /** Port of the machine where the replica answers; null if it has a network of its own. */
  port: number | null;
  /** What the project's code may reach besides the Internet. */
  allow: Destination[];
  /** Called with the main container before it starts. */
  note: (main: Container) => Promise<void>;
  /** An abort leaves what is made so far to the caller. */
  signal?: AbortSignal | undefined;
}

/** Starts the containers of a replica; the fence is up before code of the project runs. */
export async function startReplica(docker: Docker, fence: ContainerFence, start: Start): Promise<void> {
  const { plan, note, signal } = start;
  if (!plan.server) {
    await startNetwork(docker, fence, start);
    return begin(await docker.createContainer(imageSpec(plan)), note);
  }
  const outcomes = await Promise.allSettled([startNetwork(docker, fence, start), startServer(docker, start)]);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  signal?.throwIfAborted();
  await startContainer(await docker.createContainer(hostSpec(plan)));
}

async function startNetwork(docker: Docker, fence: ContainerFence, start: Start): Promise<void> {
  const { plan, port, allow, signal } = start;
  await ensureHostsNetwork(docker, plan.platform);
  const network = await docker.createContainer(networkSpec(plan, port));
  signal?.throwIfAborted();
  await network.start();
  signal?.throwIfAborted();
  await fence.close(network.id, { allow, inbound: plan.server ? [] : [PORT] });
}

async function startServer(docker: Docker, { plan, port, note, signal }: Start): Promise<void> {
  await docker.createVolume({
    Name: replicaNames(plan.key).socket,
    Driver: 'local',
    DriverOpts: { type: 'tmpfs', device: 'tmpfs', o: SOCKET_VOLUME },
    Labels: labelsOf(plan),
  });
  signal?.throwIfAborted();
  await begin(await docker.createContainer(serverSpec(plan, port)), note);
}

/** Starts the graph hosts of a server that runs. */
export async function startHost(
  docker: Docker,
  fence: ContainerFence,
  { plan, allow }: Pick<Start, 'plan' | 'allow'>,
): Promise<void> {
  // It may have been started again by hand, without its rules.
  await fence.close(replicaNames(plan.key).network, { allow, inbound: [] });
  await startContainer(await docker.createContainer(hostSpec(plan)));
}

async function begin(main: Container, note: Start['note']): Promise<void> {
  await note(main);
  await startContainer(main);
}
