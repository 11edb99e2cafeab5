import type { Context } from 'koa';
import { defineError } from '../../platform/errors.ts';
import { seededUuid, uuid7 } from '../../platform/ids.ts';
import type { Session } from './session-repository.ts';

/** Each has the rights of those before it, but that a tracer may only log runs: reading begins with the viewer. */
export const ROLES = ['tracer', 'viewer', 'deployer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks, for whom, and with what rights. */
export interface Principal {
  tenant_id: string;
  /** Name of the key or of the user, for the record. */
  name: string;
  role: Role;
  /** Of who is signed in from a browser. */
  session?: Session | undefined;
  /** Of a request that may come again: what it makes has the same ids then. */
  seed?: string | undefined;
}

export const Forbidden = defineError('Forbidden', 403, (detail: string) => detail);

export const principalOf = (ctx: Context): Principal => ctx.state['principal'] as Principal;

/** Whether a role has at least the rights of another. */
export const hasRole = ({ role }: Pick<Principal, 'role'>, least: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(least);

/** Throws Forbidden. */
export function requireRole(principal: Pick<Principal, 'role'>, least: Role): void {
  if (!hasRole(principal, least)) throw new Forbidden(`Only a key with the role ${least} may do this`);
}

/** Id of something this request makes; `what` tells it from the request's other ones. */
export const newId = ({ seed }: Principal, what: string): string =>
  seed ? seededUuid(`${seed}/${what}`) : uuid7();
