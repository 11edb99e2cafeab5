import { isUuid } from '../../platform/ids.ts';
import { Forbidden, hasRole, type Role } from './principal.ts';

/** A tenant somebody may ask for, and with what role. */
export interface Grant {
  tenant_id: string;
  role: Role;
}

/** Each tenant once, with the highest of its roles. */
export function mergeGrants(grants: Grant[]): Grant[] {
  const merged = new Map<string, Grant>();
  for (const { tenant_id, role } of grants) {
    const id = tenant_id.toLowerCase();
    const known = merged.get(id);
    if (!known || hasRole({ role }, known.role)) merged.set(id, { tenant_id: id, role });
  }
  return [...merged.values()];
}

/** The grant for the tenant that is asked for, or the only one. Throws Forbidden. */
export function chooseGrant(grants: Grant[], asked: string): Grant {
  if (grants.length === 1 && !asked) return grants[0]!;
  // The field's clients look for these words, and ask for a tenant then.
  if (!isUuid(asked)) throw new Forbidden('This key requires workspace specification: send X-Tenant-Id');
  const found = grants.find(({ tenant_id }) => tenant_id.toLowerCase() === asked);
  if (!found) throw new Forbidden('This key is not for that workspace');
  return found;
}
