import { proxyActivities } from '@temporalio/workflow';
import type { UsageActivities } from '../activities/usage-activities.ts';
import type { Recomputed, RecomputeInput } from './usage-contracts.ts';

const { recomputeCosts: recompute } = proxyActivities<UsageActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '30 seconds',
});

/** Counts the costs of a tenant's runs anew, after its prices have changed; goes on where a worker was lost. */
export async function recomputeCosts(input: RecomputeInput): Promise<Recomputed> {
  return recompute(input);
}
