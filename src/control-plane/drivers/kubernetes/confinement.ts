import type { V1Container, V1PodSecurityContext, V1SecurityContext, V1Volume } from '@kubernetes/client-node';
import { StartFailed } from '../../errors.ts';
import { OWN_PREFIX } from './object-names.ts';

// The user `node` of our image, as a number: Kubernetes can't verify that a named user is not root.
const USER = 1_000;
const VOLUMES = ['emptyDir', 'configMap', 'secret', 'projected', 'persistentVolumeClaim', 'downwardAPI'];

/** Required of pods by the restricted Pod Security Standard. */
export const podSecurity: V1PodSecurityContext = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  // Avoids a walk through large projects on every start.
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
};

/** The same for every container, including those of a resource_spec. */
export const containerSecurity: V1SecurityContext = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

type Shape = Record<string, unknown>;

/** Containers of a resource_spec, with no more rights than the agent's own. Throws StartFailed. */
export function confinedContainers(shapes: Shape[], key: string): V1Container[] {
  return shapes.map((shape) => {
    refuseOwnNames(shape, key);
    const { securityContext: _, ...container } = shape as unknown as V1Container;
    if (Array.isArray(container.ports) && container.ports.some(({ hostPort }) => hostPort))
      throw new StartFailed(`resource_spec.${key}: a port of the node cannot be taken`);
    return { ...container, securityContext: containerSecurity };
  });
}

/** Volumes of a resource_spec. Throws StartFailed for those of the node or the platform, and for cluster tokens. */
export function confinedVolumes(shapes: Shape[]): V1Volume[] {
  return shapes.map((shape) => {
    refuseOwnNames(shape, 'volumes');
    const strange = Object.keys(shape).find((key) => key !== 'name' && !VOLUMES.includes(key));
    if (strange) throw new StartFailed(`resource_spec.volumes: a volume cannot be of kind ${strange}`);
    const volume = shape as unknown as V1Volume;
    if (volume.projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken))
      throw new StartFailed('resource_spec.volumes: a volume cannot hold a token of the cluster');
    return volume;
  });
}

/** Throws StartFailed for names with our prefix: objects of the platform or of other revisions. */
export function refuseOwnNames(shape: unknown, key: string): void {
  if (typeof shape === 'string' && shape.startsWith(OWN_PREFIX))
    throw new StartFailed(
      `${key}: '${shape}' is the platform's own, as all names that begin with ${OWN_PREFIX}`,
    );
  if (typeof shape !== 'object' || shape === null) return;
  for (const [name, value] of Object.entries(shape))
    // Names of images are not names of objects.
    if (name !== 'image') refuseOwnNames(value, key);
}
