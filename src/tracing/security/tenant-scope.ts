import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<string>();

/** For requests authorised by a token in their URL, such as shares. */
export const EVERY_TENANT = '00000000-0000-0000-0000-000000000000';

/** Runs `work` in the scope of a tenant, whose rows are the only ones a tenant database shows. */
export const asTenant = <T>(tenantId: string, work: () => T): T => scope.run(tenantId, work);

/** Empty outside every scope, where no rows are visible. */
export const currentTenant = (): string => scope.getStore() ?? '';
