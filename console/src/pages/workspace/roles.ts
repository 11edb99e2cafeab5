import type { Role } from '../../api/session.ts';

/** What each role may do; each may do what those before it may, but that a tracer reads nothing. */
export const ROLES: [role: Role, may: string][] = [
  ['tracer', 'logs runs, and reads nothing'],
  ['viewer', 'reads'],
  ['deployer', 'changes deployments and traces'],
  ['admin', 'makes keys, reads the audit log, ends sessions'],
];
