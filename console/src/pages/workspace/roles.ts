import type { Role } from '../../api/session.ts';

/** Permissions of each role. Roles include those of the roles before them, except that tracers cannot read. */
export const ROLES: [role: Role, may: string][] = [
  ['tracer', 'logs runs, cannot read'],
  ['viewer', 'reads'],
  ['deployer', 'changes deployments and traces'],
  ['admin', 'creates keys, reads the audit log, ends sessions'],
];
