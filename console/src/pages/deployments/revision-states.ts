const IN_PROGRESS = new Set([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
]);

/** Whether the revision has not reached a final state. */
export const isInProgress = (status: string): boolean => IN_PROGRESS.has(status);
