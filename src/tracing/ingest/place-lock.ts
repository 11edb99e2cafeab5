import type { Statement } from '../../platform/db/database.ts';

// Any constant will do; it keeps these locks apart from others.
const PLACES = 1_407_001;

const lockStatement = (name: string, tenantId: string): Statement => ({
  name: `tracing-${name.replaceAll('_', '-')}`,
  text: `select ${name}(${PLACES}, hashtext($1::uuid::text))`,
  values: [tenantId],
});

/** Taken by transactions that write runs at the place that clients name. */
export const sharePlaces = (tenantId: string): Statement =>
  lockStatement('pg_advisory_xact_lock_shared', tenantId);

/** Taken by those that guess: nothing else is being written then, so that no run gets two rows. */
export const holdPlaces = (tenantId: string): Statement => lockStatement('pg_advisory_xact_lock', tenantId);
