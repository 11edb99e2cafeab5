import { proxyActivities } from '@temporalio/workflow';
import type { Recomputed, RecomputeInput, UsageActivities } from './contracts.ts';

const { recomputeCosts: recompute } = proxyActivities<UsageActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '30 seconds',
});

/** Recomputes a tenant's costs after a price change. Resumes where a lost worker stopped. */
export async function recomputeCosts(input: RecomputeInput): Promise<Recomputed> {
  return recompute(input);
}
