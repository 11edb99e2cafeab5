import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { LOOPBACK } from '../../../platform/embedded/ports.ts';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { coresOf, heapOption, hostHeapOption, memoryOf, serverMemoryOf } from '../../scaling/agent-limits.ts';
import { uidOf } from '../../users/agent-user.ts';
import type { InstanceKey } from '../instance-repository.ts';
import { hostsNetwork, LABEL, type Part, replicaNames } from './replica-names.ts';

/** Where an agent listens in a network of its own (contract §3.6). */
export const PORT = 8_000;
export const WORK_DIR = '/tmp';
export const HOST_NETWORK = 'host';

const PROJECT_DIR = '/project';
const SOCKET_DIR = '/run/slipway';
export const SOCKET = `unix:${SOCKET_DIR}/hosts.sock`;
export const TRACES = `unix:${SOCKET_DIR}/traces.sock`;
const MB = 1024 * 1024;
const CORE = 1e9;
const PIDS = 1_024;
const NETWORK_MB = 64;
const NETWORK_PIDS = 16;
// Engines give a command no capabilities in a container of another user.
const ROOT = '0:0';
const UNPRIVILEGED: HostConfig = {
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
  // The platform restarts containers.
  RestartPolicy: { Name: 'no' },
  LogConfig: { Type: 'json-file', Config: { 'max-size': '8m', 'max-file': '2' } },
};

export interface ReplicaPlan {
  revision: RevisionRow;
  key: InstanceKey;
  platform: string;
  /** Image of the platform. */
  base: string;
  /** Image of the project's code: the platform's for an artifact. */
  image: string;
  /** Folder of the artifact and its configuration; undefined for images that bring their project. */
  project?: { dir: string; config: string } | undefined;
  /** Environment of the server; undefined for images that serve the API themselves. */
  server?: Record<string, string> | undefined;
  /** Environment of the project's code. */
  host: Record<string, string>;
  config: ControlPlaneSettings;
}

/** The platform's server, with its credentials and without code of the project. */
export function serverSpec(plan: ReplicaPlan, port: number | null): ContainerCreateOptions {
  const { revision, config, server = {} } = plan;
  const megabytes = serverMemoryOf(revision, config);
  return {
    ...common(plan, 'server', {
      ...server,
      NODE_OPTIONS: heapOption(megabytes),
      PORT: String(port ?? PORT),
      HOST: port === null ? '0.0.0.0' : LOOPBACK,
    }),
    Image: plan.base,
    Cmd: ['serve'],
    User: userOf(plan),
    HostConfig: {
      ...confined(plan, megabytes),
      Mounts: [socketMount(plan, false)],
      ReadonlyRootfs: true,
      NetworkMode: config.SLIPWAY_DOCKER_NETWORK,
    },
  };
}

/** The project's code, without a credential of the platform, behind the fence. */
export function hostSpec(plan: ReplicaPlan): ContainerCreateOptions {
  const { revision, project, config, image } = plan;
  const megabytes = memoryOf(revision, config);
  const heap = hostHeapOption(revision, config);
  const { NODE_OPTIONS = '' } = plan.host;
  return {
    ...common(plan, 'host', { ...plan.host, NODE_OPTIONS: `${heap} ${NODE_OPTIONS}`.trim() }),
    Image: image,
    ...(project ? { User: userOf(plan) } : imageUser(config)),
    ...(project && {
      WorkingDir: PROJECT_DIR,
      Cmd: ['host', `--config=${project.config.replace(project.dir, PROJECT_DIR)}`],
    }),
    HostConfig: {
      ...confined(plan, megabytes),
      Mounts: [
        socketMount(plan, true),
        ...(project
          ? [{ Type: 'bind' as const, Source: project.dir, Target: PROJECT_DIR, ReadOnly: true }]
          : []),
      ],
      ...(project && { ReadonlyRootfs: true }),
      NetworkMode: networkOf(plan),
    },
  };
}

/** An image that serves the API itself: it gets the project's variables, and its gateway alone reaches it. */
export function imageSpec(plan: ReplicaPlan): ContainerCreateOptions {
  const listens = { PORT: String(PORT), HOST: '0.0.0.0' };
  return {
    ...common(plan, 'image', { ...plan.host, ...listens }),
    Image: plan.image,
    ...imageUser(plan.config),
    HostConfig: { ...confined(plan, memoryOf(plan.revision, plan.config)), NetworkMode: networkOf(plan) },
  };
}

/** The container whose network the project's code uses. */
export function networkSpec(plan: ReplicaPlan, port: number | null): ContainerCreateOptions {
  const { platform, base, key, server, config } = plan;
  const isReached = server === undefined;
  const network = isReached && port === null ? config.SLIPWAY_DOCKER_NETWORK : hostsNetwork(platform);
  const spec = networkHolder(base, network);
  const published = `${PORT}/tcp`;
  return {
    ...spec,
    ...common(plan, 'network', {}),
    ...(isReached && {
      ExposedPorts: { [published]: {} },
      NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [replicaNames(key).main] } } },
      HostConfig: {
        ...spec.HostConfig,
        ...(port !== null && {
          PortBindings: { [published]: [{ HostIp: LOOPBACK, HostPort: String(port) }] },
        }),
      },
    }),
  };
}

/**
 * Holds a network for other containers, so that the fence is up before their first instruction. It does nothing else,
 * and they have no right to change the fence.
 */
export const networkHolder = (base: string, network: string): ContainerCreateOptions => ({
  Image: base,
  Entrypoint: ['/bin/sleep'],
  Cmd: ['infinity'],
  User: ROOT,
  HostConfig: {
    ...limits(NETWORK_MB),
    ...UNPRIVILEGED,
    CapAdd: ['NET_ADMIN'],
    PidsLimit: NETWORK_PIDS,
    ReadonlyRootfs: true,
    NetworkMode: network,
  },
});

export const labelsOf = ({ platform, revision, key }: ReplicaPlan): Record<string, string> => ({
  [LABEL.platform]: platform,
  [LABEL.deployment]: revision.deployment_id,
  [LABEL.revision]: revision.id,
  [LABEL.replica]: String(key.replica),
});

function common(plan: ReplicaPlan, part: Part, environment: Record<string, string>): ContainerCreateOptions {
  const names = replicaNames(plan.key);
  return {
    name: part === 'host' || part === 'network' ? names[part] : names.main,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    Labels: { ...labelsOf(plan), [LABEL.part]: part },
  };
}

/** No capabilities, no way to gain any, and limits. */
function confined({ revision }: ReplicaPlan, megabytes: number): HostConfig {
  const cores = coresOf(revision);
  return {
    ...limits(megabytes),
    ...UNPRIVILEGED,
    ...(cores && { NanoCpus: cores * CORE }),
    Tmpfs: { [WORK_DIR]: 'rw,exec,nosuid,nodev,mode=1777' },
    PidsLimit: PIDS,
    Init: true,
  };
}

// The same twice: nothing is swapped.
const limits = (megabytes: number) => ({ Memory: megabytes * MB, MemorySwap: megabytes * MB });

const userOf = ({ revision, config }: ReplicaPlan): string =>
  config.SLIPWAY_DOCKER_USER ?? String(uidOf(revision.deployment_id));

const imageUser = ({ SLIPWAY_DOCKER_USER: user }: ControlPlaneSettings) => (user ? { User: user } : {});

const networkOf = ({ key }: ReplicaPlan): string => `container:${replicaNames(key).network}`;

const socketMount = ({ key }: ReplicaPlan, ReadOnly: boolean) => ({
  Type: 'volume' as const,
  Source: replicaNames(key).socket,
  Target: SOCKET_DIR,
  ReadOnly,
});
