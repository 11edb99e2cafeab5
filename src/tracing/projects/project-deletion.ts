import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { deleteProject } from '../../../workflows/delete-project.ts';
import { callEngine } from '../../platform/temporal/engine-call.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { type ProjectToRemove, removeProject } from './project-removal.ts';

/**
 * Deletes a project: it is gone when this returns, its runs go afterwards. The workflow comes first: whatever dies in
 * between, it removes the project too. Throws Unavailable, and has then changed nothing.
 */
export async function deleteProjectOf(
  deps: Pick<TracingDeps, 'config' | 'db' | 'temporal' | 'taskQueue'>,
  project: ProjectToRemove,
): Promise<void> {
  await startDeletion(deps, project);
  await removeProject(deps.db, project);
}

async function startDeletion(
  { config, temporal, taskQueue }: Pick<TracingDeps, 'config' | 'temporal' | 'taskQueue'>,
  project: ProjectToRemove,
): Promise<void> {
  const call = { client: temporal, deadlineMs: config.SLIPWAY_TEMPORAL_DEADLINE_SECONDS * 1000 };
  await callEngine(call, 'Projects cannot be deleted now: Temporal does not answer', async () => {
    try {
      await temporal.workflow.start<typeof deleteProject>('deleteProject', {
        taskQueue,
        workflowId: `delete-project/${project.project_id}`,
        args: [{ tenant_id: project.tenant_id, project_id: project.project_id }],
        staticSummary: `runs of project ${project.project_id}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  });
}
