import type { Queryable } from '../../platform/db/database.ts';
import type { Principal } from '../principal.ts';
import { invalidField, ListenerNeeded } from '../errors.ts';
import type { Source } from '../vocabulary.ts';
import { findListener, hasListeners } from './listener-repository.ts';

/**
 * A tenant with data planes of its own must choose one for an image (contract §2.3). Throws ListenerNeeded,
 * InvalidFields.
 */
export async function checkListener(
  tx: Queryable,
  { tenant_id }: Pick<Principal, 'tenant_id'>,
  { source, source_config: { listener_id } }: { source: Source; source_config: Record<string, unknown> },
): Promise<void> {
  if (typeof listener_id === 'string') {
    if (await findListener(tx, tenant_id, listener_id)) return;
    throw invalidField(['body', 'source_config', 'listener_id'], `Listener ID ${listener_id} not found`);
  }
  if (source === 'external_container' && (await hasListeners(tx, tenant_id))) throw new ListenerNeeded();
}
