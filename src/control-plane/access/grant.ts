import { isUuid } from '../../platform/ids.ts';
import { Forbidden, type Grant, hasRole } from '../principal.ts';

/** One grant per tenant, with the highest role. */
export function mergeGrants(grants: Grant[]): Grant[] {
  const merged = new Map<string, Grant>();
  for (const { tenant_id, role } of grants) {
    const id = tenant_id.toLowerCase();
    const known = merged.get(id);
    if (!known || hasRole({ role }, known.role)) merged.set(id, { tenant_id: id, role });
  }
  return [...merged.values()];
}

/** The grant for the requested tenant, or the only one. Throws Forbidden. */
export function chooseGrant(grants: Grant[], asked: string): Grant {
  if (grants.length === 1 && !asked) return grants[0]!;
  // Clients match these words and then ask for a tenant.
  if (!isUuid(asked)) throw new Forbidden('This key requires workspace specification: send X-Tenant-Id');
  const found = grants.find(({ tenant_id }) => tenant_id.toLowerCase() === asked);
  if (!found) throw new Forbidden('This key is not for that workspace');
  return found;
}
