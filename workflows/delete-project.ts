import { proxyActivities } from '@temporalio/workflow';
import type { ProjectActivities } from '../activities/project-activities.ts';
import type { DeleteProjectInput } from './tracing-contracts.ts';

// A worker that dies leaves a project with fewer runs; the next attempt removes the rest.
const { removeProject, removeRunsOfProject } = proxyActivities<ProjectActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '30 seconds',
});

/** Removes a project of tracing and all that was logged into it. Returns how many runs that was. */
export async function deleteProject(input: DeleteProjectInput): Promise<{ runs: number }> {
  await removeProject(input);
  return { runs: await removeRunsOfProject(input) };
}
