import type { Statement } from '../../platform/db/database.ts';

// An arbitrary namespace for these advisory locks.
const PLACES = 1_407_001;

const lockStatement = (name: string, tenantId: string): Statement => ({
  name: `tracing-${name.replaceAll('_', '-')}`,
  text: `select ${name}(${PLACES}, hashtext($1::uuid::text))`,
  values: [tenantId],
});

/** Taken by writers of runs whose position is known. */
export const sharePositions = (tenantId: string): Statement =>
  lockStatement('pg_advisory_xact_lock_shared', tenantId);

/** Taken by writers of runs with a guessed position. Excludes all other writers, so that no run gets two rows. */
export const lockPositions = (tenantId: string): Statement =>
  lockStatement('pg_advisory_xact_lock', tenantId);
