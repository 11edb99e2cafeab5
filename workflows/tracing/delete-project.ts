import { proxyActivities } from '@temporalio/workflow';
import type { DeleteProjectInput, DeletionActivities } from './contracts.ts';

// A lost worker leaves fewer runs; the next attempt removes the rest.
const { removeProject, removeRunsOfProject } = proxyActivities<DeletionActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '30 seconds',
});

/** Deletes a tracing project and its runs. Returns the number of deleted runs. */
export async function deleteProject(input: DeleteProjectInput): Promise<{ runs: number }> {
  await removeProject(input);
  return { runs: await removeRunsOfProject(input) };
}
