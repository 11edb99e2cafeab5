import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { RevisionRow } from '../../records/revision.ts';

/** Prefix of every object the platform creates in a cluster; revisions can't refer to such names. */
export const OWN_PREFIX = 'slipway-';
export const MANAGER = 'slipway';
export const LABELS = {
  platform: 'slipway.dev/platform',
  deployment: 'slipway.dev/deployment',
  revision: 'slipway.dev/revision',
  part: 'slipway.dev/part',
} as const;

const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const DIGITS = 32;

/**
 * What a pod does for its revision: `server` serves the API, `host` runs the project's code for it, and `agent` is an
 * image that serves the API itself.
 */
export type Part = 'server' | 'host' | 'agent';
export const SPLIT: Part[] = ['server', 'host'];
export const WHOLE: Part[] = ['agent'];

/** Name of a revision's Service, and prefix of its other objects. */
export const objectName = (revisionId: string): string => `${OWN_PREFIX}${revisionId}`;

/** Name of a part's Deployment, NetworkPolicy and Secret with its environment. */
export const partName = (revisionId: string, part: Part): string => `${objectName(revisionId)}-${part}`;

/** Name of the Service at which hosts find their server. */
export const hostsServiceName = (revisionId: string): string => `${objectName(revisionId)}-hosts`;

/** Name of the Secret with the token that hosts present to their server. */
export const tokenSecretName = (revisionId: string): string => `${objectName(revisionId)}-token`;

/** Name of the Secret with the address of the revision's artifact. */
export const artifactSecretName = (revisionId: string): string => `${objectName(revisionId)}-artifact`;

/** Name of the Secret with the credential for pulling the revision's image. */
export const pullSecretName = (revisionId: string): string => `${objectName(revisionId)}-pull`;

/** A platform's name as the value of a label; its digest if the name can't be one. */
export const platformLabel = (platform: string): string =>
  LABEL_VALUE.test(platform)
    ? platform
    : createHash('sha256').update(platform).digest('hex').slice(0, DIGITS);

/** Labels that name an object's platform, deployment and revision. */
export const ownerLabels = (
  platform: string,
  { id, deployment_id }: Pick<RevisionRow, 'id' | 'deployment_id'>,
): Record<string, string> => ({
  'app.kubernetes.io/name': 'slipway-agent',
  'app.kubernetes.io/managed-by': MANAGER,
  [LABELS.platform]: platformLabel(platform),
  [LABELS.deployment]: deployment_id,
  [LABELS.revision]: id,
});

/** Selects the objects of a platform, of one revision or of all. */
export const ownedBy = (platform: string, revisionId?: string): string =>
  [
    `${LABELS.platform}=${platformLabel(platform)}`,
    ...(revisionId ? [`${LABELS.revision}=${revisionId}`] : []),
  ].join(',');

export const partLabels = (revisionId: string, part: Part): Record<string, string> => ({
  [LABELS.revision]: revisionId,
  [LABELS.part]: part,
});

/** Undefined for objects of an older version, whose pods had one part. */
export const partOf = ({ metadata }: KubernetesObject): Part | undefined =>
  metadata?.labels?.[LABELS.part] as Part | undefined;

/** Whether gateways send requests to the pod. */
export const isServing = (pod: KubernetesObject): boolean => partOf(pod) !== 'host';
