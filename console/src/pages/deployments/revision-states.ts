const ON_ITS_WAY = new Set([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
]);

/** It is not where it ends yet. */
export const isOnItsWay = (status: string): boolean => ON_ITS_WAY.has(status);
