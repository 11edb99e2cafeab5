import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { DeleteProjectWorkflow } from '../../../workflows/tracing/contracts.ts';
import { callEngine } from '../../platform/temporal/engine-call.ts';
import { requestDeletion } from '../deletions/deletion-repository.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { type ProjectToRemove, removeProject } from './project-removal.ts';

/**
 * Hides the project at once; a workflow deletes its runs. The workflow starts first, so it completes the deletion
 * even if this process dies. Throws Unavailable without any change.
 */
export async function deleteProjectOf(
  deps: Pick<TracingDeps, 'config' | 'db' | 'temporal' | 'taskQueue'>,
  project: ProjectToRemove,
): Promise<void> {
  const { tenant_id, project_id } = project;
  await requestDeletion(deps.db, tenant_id, [project_id]);
  await startDeletion(deps, project);
  await removeProject(deps.db, project);
}

async function startDeletion(
  { config, temporal, taskQueue }: Pick<TracingDeps, 'config' | 'temporal' | 'taskQueue'>,
  project: ProjectToRemove,
): Promise<void> {
  const call = { client: temporal, deadlineMs: config.SLIPWAY_TEMPORAL_DEADLINE_SECONDS * 1000 };
  await callEngine(call, 'Projects cannot be deleted right now: Temporal is unavailable', async () => {
    try {
      await temporal.workflow.start<DeleteProjectWorkflow>('deleteProject', {
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
