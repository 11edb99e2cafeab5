import { proxyActivities } from '@temporalio/workflow';
import type { DeletedTracesActivities } from '../activities/deleted-traces-activities.ts';
import type { DeleteTracesInput } from './tracing-contracts.ts';

// A worker that dies leaves a trace with fewer runs; the next attempt removes the rest.
const { removeTraces } = proxyActivities<DeletedTracesActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
});

/** Removes traces, and the inputs and outputs of their runs. Returns how many runs that was. */
export async function deleteTraces(input: DeleteTracesInput): Promise<{ runs: number }> {
  return { runs: await removeTraces(input) };
}
