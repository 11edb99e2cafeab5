import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { deleteProject } from '../../../workflows/delete-project.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { type ProjectToRemove, removeProject } from './project-removal.ts';

const DEADLINE_MS = 10_000;

/**
 * Deletes a project: it is gone when this returns, its runs go afterwards. The workflow comes first: whatever dies in
 * between, it removes the project too. Throws Unavailable, and has then changed nothing.
 */
export async function deleteProjectOf(
  { db, temporal, taskQueue }: Pick<TracingDeps, 'db' | 'temporal' | 'taskQueue'>,
  project: ProjectToRemove,
): Promise<void> {
  await startDeletion(temporal, taskQueue, project);
  await removeProject(db, project);
}

async function startDeletion(client: Client, taskQueue: string, project: ProjectToRemove): Promise<void> {
  try {
    await client.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflow.start<typeof deleteProject>('deleteProject', {
        taskQueue,
        workflowId: `delete-project/${project.project_id}`,
        args: [{ tenant_id: project.tenant_id, project_id: project.project_id }],
        staticSummary: `runs of project ${project.project_id}`,
      }),
    );
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return;
    throw new Unavailable('Projects cannot be deleted now: Temporal does not answer');
  }
}
