import { createHash } from 'node:crypto';
import type { RevisionRow } from '../../revisions/revision.ts';

/** What every name the platform gives to an object of a cluster begins with; revisions may not refer to such names. */
export const OWN_PREFIX = 'slipway-';
export const MANAGER = 'slipway';
export const LABELS = {
  platform: 'slipway.dev/platform',
  deployment: 'slipway.dev/deployment',
  revision: 'slipway.dev/revision',
} as const;

const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const DIGITS = 32;

/** Name of a revision's Deployment, Service, Secret and NetworkPolicy. */
export const objectName = (revisionId: string): string => `${OWN_PREFIX}${revisionId}`;

/** Name of the Secret with the address of the revision's artifact. */
export const artifactSecretName = (revisionId: string): string => `${objectName(revisionId)}-artifact`;

/** Name of the Secret that a node pulls the revision's image with. */
export const pullSecretName = (revisionId: string): string => `${objectName(revisionId)}-pull`;

/** A platform's name as a label's value; of one that cannot be a label, its digest. */
export const platformLabel = (platform: string): string =>
  LABEL_VALUE.test(platform)
    ? platform
    : createHash('sha256').update(platform).digest('hex').slice(0, DIGITS);

/** Who owns an object: its platform, its deployment and its revision. */
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

/** Selects what a platform owns, of one revision or of all. */
export const ownedBy = (platform: string, revisionId?: string): string =>
  [
    `${LABELS.platform}=${platformLabel(platform)}`,
    ...(revisionId ? [`${LABELS.revision}=${revisionId}`] : []),
  ].join(',');
