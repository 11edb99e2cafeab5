const ON_ITS_WAY = new Set([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
]);

/** Whether the revision has not reached a final state. */
export const isOnItsWay = (status: string): boolean => ON_ITS_WAY.has(status);
