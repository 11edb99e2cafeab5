import { createHash } from 'node:crypto';
import type { ContainerCreateOptions } from 'dockerode';
import { LOOPBACK } from '../../../platform/embedded/ports.ts';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../revisions/revision.ts';
import { coresOf, heapOption, memoryOf } from '../agent-limits.ts';
import { uidOf } from '../agent-user.ts';
import type { InstanceKey } from '../instance-repository.ts';

/** What a container of an agent is told by names of ours; they find it again. */
export const LABEL = {
  platform: 'slipway.platform',
  deployment: 'slipway.deployment',
  revision: 'slipway.revision',
  replica: 'slipway.replica',
} as const;
/** Where an agent listens in a network of its own (contract §3.6). */
export const PORT = 8_000;
export const WORK_DIR = '/tmp';
export const HOST_NETWORK = 'host';

const PROJECT_DIR = '/project';
const MB = 1024 * 1024;
const CORE = 1e9;
const PIDS = 1_024;
const KEPT_LOG = { 'max-size': '8m', 'max-file': '2' };

export interface ContainerPlan {
  revision: RevisionRow;
  key: InstanceKey;
  platform: string;
  image: string;
  /** Folder of the artifact and its configuration; without it the image is the whole agent. */
  project?: { dir: string; config: string } | undefined;
  environment: Record<string, string>;
  /** Of the machine's own network; null where it has a network of its own. */
  port: number | null;
  config: ControlPlaneSettings;
}

/** Also its name in the network. */
export const containerName = ({ revision_id, replica }: InstanceKey): string =>
  `slipway-${revision_id}-${replica}`;

/** Platforms may share an engine: each sweeps its own, known by its name and its database. */
export const platformLabel = (
  { SLIPWAY_PLATFORM: name }: ControlPlaneSettings,
  databaseUrl: string,
): string => {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const hash = createHash('sha256').update(`${hostname}:${port}${pathname}`).digest('hex');
  return `${name}.${hash.slice(0, 12)}`;
};

/** A container with nothing it does not need: no capabilities, no way to more, and of our projects no root to write to. */
export function containerSpec(plan: ContainerPlan): ContainerCreateOptions {
  const { revision, key, project, config, port } = plan;
  const megabytes = memoryOf(revision, config);
  const cores = coresOf(revision);
  const host = port === null ? '0.0.0.0' : LOOPBACK;
  const listens = { PORT: String(port ?? PORT), HOST: host };
  const { NODE_OPTIONS = '' } = plan.environment;
  const heap = project && { NODE_OPTIONS: `${heapOption(megabytes)} ${NODE_OPTIONS}`.trim() };
  const user = config.SLIPWAY_DOCKER_USER ?? (project && String(uidOf(revision.deployment_id)));
  return {
    name: containerName(key),
    Image: plan.image,
    Env: Object.entries({ ...plan.environment, ...listens, ...heap }).map(
      ([name, value]) => `${name}=${value}`,
    ),
    ...(user && { User: user }),
    ...(project && {
      WorkingDir: PROJECT_DIR,
      Cmd: ['serve', `--config=${project.config.replace(project.dir, PROJECT_DIR)}`],
    }),
    Labels: {
      [LABEL.platform]: plan.platform,
      [LABEL.deployment]: revision.deployment_id,
      [LABEL.revision]: revision.id,
      [LABEL.replica]: String(key.replica),
    },
    HostConfig: {
      ...(project && {
        Mounts: [{ Type: 'bind', Source: project.dir, Target: PROJECT_DIR, ReadOnly: true }],
        ReadonlyRootfs: true,
      }),
      Tmpfs: { [WORK_DIR]: 'rw,exec,nosuid,nodev,mode=1777' },
      NetworkMode: config.SLIPWAY_DOCKER_NETWORK,
      Memory: megabytes * MB,
      // The same: nothing is swapped.
      MemorySwap: megabytes * MB,
      ...(cores && { NanoCpus: cores * CORE }),
      PidsLimit: PIDS,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      // It is for the platform to start it again.
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: KEPT_LOG },
    },
  };
}
