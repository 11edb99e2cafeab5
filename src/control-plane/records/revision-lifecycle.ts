/** The revision state machine as a table (contract §3). */
export const REVISION_STATUSES = [
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'DEPLOYED',
  'SKIPPED',
  'INTERRUPTED',
  'UNKNOWN',
] as const;
export type RevisionStatus = (typeof REVISION_STATUSES)[number];

const STEPS: Record<RevisionStatus, readonly RevisionStatus[]> = {
  CREATING: ['QUEUED', 'AWAITING_BUILD', 'AWAITING_DEPLOY', 'CREATE_FAILED', 'SKIPPED', 'INTERRUPTED'],
  QUEUED: ['AWAITING_BUILD', 'AWAITING_DEPLOY', 'CREATE_FAILED', 'SKIPPED', 'INTERRUPTED'],
  AWAITING_BUILD: ['BUILDING', 'BUILD_FAILED', 'INTERRUPTED'],
  BUILDING: ['AWAITING_DEPLOY', 'BUILD_FAILED', 'INTERRUPTED'],
  // Approval may become required while it waits for deployment.
  AWAITING_DEPLOY: ['AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOY_FAILED', 'INTERRUPTED'],
  DEPLOYING: ['DEPLOYED', 'DEPLOY_FAILED', 'INTERRUPTED'],
  // The data plane is back after a long silence.
  DEPLOYED: ['UNKNOWN'],
  UNKNOWN: ['DEPLOYED', 'DEPLOY_FAILED'],
  CREATE_FAILED: [],
  BUILD_FAILED: [],
  DEPLOY_FAILED: [],
  SKIPPED: [],
  INTERRUPTED: [],
};

/** Ended, from the caller's point of view. */
export const isTerminal = (status: RevisionStatus): boolean =>
  STEPS[status].length === 0 || status === 'DEPLOYED';

export const canStep = (from: RevisionStatus, to: RevisionStatus): boolean => STEPS[from].includes(to);

/** Statuses from which a step to `to` is legal. */
export const stepsTo = (to: RevisionStatus): RevisionStatus[] =>
  REVISION_STATUSES.filter((from) => canStep(from, to));

/** The failure status that follows this status. */
export const failureOf = (status: RevisionStatus): 'CREATE_FAILED' | 'BUILD_FAILED' | 'DEPLOY_FAILED' => {
  if (status === 'AWAITING_BUILD' || status === 'BUILDING') return 'BUILD_FAILED';
  if (status === 'AWAITING_DEPLOY' || status === 'DEPLOYING') return 'DEPLOY_FAILED';
  return 'CREATE_FAILED';
};
