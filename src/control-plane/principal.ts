import type { Context } from 'koa';
import { defineError } from '../platform/errors.ts';
import { seededUuid, uuid7 } from '../platform/ids.ts';

/** In ascending order of rights. A tracer may only log runs; reading starts with viewer. */
export const ROLES = ['tracer', 'viewer', 'deployer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A tenant the caller may use, and the role there. */
export interface Grant {
  tenant_id: string;
  role: Role;
}

export interface Session {
  id: string;
  name: string;
  grants: Grant[];
  expires_at: string;
}

/** The caller: tenant, role and name. */
export interface Principal {
  tenant_id: string;
  /** Name of the key or user, for the audit log. */
  name: string;
  role: Role;
  /** Set for callers signed in from a browser. */
  session?: Session | undefined;
  /** Set for idempotent requests: ids derive from it. */
  seed?: string | undefined;
}

export const Forbidden = defineError('Forbidden', 403, (detail: string) => detail);

export const principalOf = (ctx: Context): Principal => ctx.state['principal'] as Principal;

/** Whether a role includes the rights of another. */
export const hasRole = ({ role }: Pick<Principal, 'role'>, least: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(least);

/** Throws Forbidden. */
export function requireRole(principal: Pick<Principal, 'role'>, least: Role): void {
  if (!hasRole(principal, least)) throw new Forbidden(`Only a key with the role ${least} may do this`);
}

/** Id of an object this request creates; `what` distinguishes several. */
export const newId = ({ seed }: Principal, what: string): string =>
  seed ? seededUuid(`${seed}/${what}`) : uuid7();
