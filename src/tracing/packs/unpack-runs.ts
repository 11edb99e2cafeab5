import type { Statement } from '../../platform/db/database.ts';

/** What began less than this ago is not packed. */
export const YOUNGEST_MS = 3_600_000;
/** What began less than this ago is in no pack, nor will it be before what is being written is there. */
export const UNPACKED_MS = YOUNGEST_MS / 2;

/**
 * Makes rows of the packs in which these runs or traces are, or may be: before something of them is changed, and in the
 * same transaction. None of them is packed before its end.
 */
export const unpackStatement = (tenantId: string, ids: string[]): Statement => ({
  name: 'tracing-unpack-runs',
  text: 'select tracing.unpack_runs($1, $2)',
  values: [tenantId, ids],
});

/** Until the transaction is over, nothing of the tenant is packed. */
export const holdUnpacked = (tenantId: string): Statement => ({
  text: `select pg_advisory_xact_lock_shared(hashtext('tracing.pack'), hashtext($1))`,
  values: [tenantId],
});
