/** The states of a revision and the legal steps between them (contract §3): a table, and nothing else. */
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
  // Approval may become required while it waits to be deployed.
  AWAITING_DEPLOY: ['AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOY_FAILED', 'INTERRUPTED'],
  DEPLOYING: ['DEPLOYED', 'DEPLOY_FAILED', 'INTERRUPTED'],
  // The data plane has been silent for too long, and is heard of again.
  DEPLOYED: ['UNKNOWN'],
  UNKNOWN: ['DEPLOYED', 'DEPLOY_FAILED'],
  CREATE_FAILED: [],
  BUILD_FAILED: [],
  DEPLOY_FAILED: [],
  SKIPPED: [],
  INTERRUPTED: [],
};

/** Ended for good, as far as whoever asked for it is concerned. */
export const isTerminal = (status: RevisionStatus): boolean =>
  STEPS[status].length === 0 || status === 'DEPLOYED';

export const canStep = (from: RevisionStatus, to: RevisionStatus): boolean => STEPS[from].includes(to);

/** The states a step to `to` may be taken from. */
export const stepsTo = (to: RevisionStatus): RevisionStatus[] =>
  REVISION_STATUSES.filter((from) => canStep(from, to));

/** How a step fails that was under way in this state. */
export const failureOf = (status: RevisionStatus): 'CREATE_FAILED' | 'BUILD_FAILED' | 'DEPLOY_FAILED' => {
  if (status === 'AWAITING_BUILD' || status === 'BUILDING') return 'BUILD_FAILED';
  if (status === 'AWAITING_DEPLOY' || status === 'DEPLOYING') return 'DEPLOY_FAILED';
  return 'CREATE_FAILED';
};
