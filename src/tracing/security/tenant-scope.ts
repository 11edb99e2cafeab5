import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<string>();

/** For requests whose address says itself who may, such as shares: what they name is nobody's secret. */
export const EVERY_TENANT = '00000000-0000-0000-0000-000000000000';

/** Runs `work` for a tenant: of a tenant database it sees that tenant's rows and no others. */
export const asTenant = <T>(tenantId: string, work: () => T): T => scope.run(tenantId, work);

/** Empty outside of every scope: nothing is seen there. */
export const currentTenant = (): string => scope.getStore() ?? '';
