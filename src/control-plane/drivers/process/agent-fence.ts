import { StartFailed } from '../../errors.ts';
import { type Fence, findFence } from '../../fence/fence.ts';
import type { DriverOptions } from '../driver-options.ts';
import { countTenants } from './tenant-check.ts';

type Options = Pick<DriverOptions, 'config' | 'db' | 'databaseUrl' | 'temporal'>;

/** This machine's fence. Throws StartFailed if there is none but more than one tenant. */
export async function fenceForAgents({ config, db, databaseUrl, temporal }: Options): Promise<Fence> {
  const fence = await findFence({ ...config, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporal.address });
  if (fence.missing && (await countTenants(db)) > 1) throw new StartFailed(fence.missing);
  return fence;
}
