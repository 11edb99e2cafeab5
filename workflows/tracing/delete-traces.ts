import { proxyActivities } from '@temporalio/workflow';
import type { DeletionActivities, DeleteTracesInput } from './contracts.ts';

// A lost worker leaves fewer runs; the next attempt removes the rest.
const { removeTraces } = proxyActivities<DeletionActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
});

/** Deletes traces with their inputs and outputs. Returns the number of deleted runs. */
export async function deleteTraces(input: DeleteTracesInput): Promise<{ runs: number }> {
  return { runs: await removeTraces(input) };
}
