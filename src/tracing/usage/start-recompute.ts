import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { RecomputeCostsWorkflow, RecomputeInput } from '../../../workflows/tracing/contracts.ts';
import { defineError } from '../../platform/errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';

const RecomputeRunning = defineError(
  'RecomputeRunning',
  409,
  () => 'A recomputation of costs is already running',
);

/** Starts the workflow, at most one per tenant, and returns its id. Throws RecomputeRunning. */
export async function startRecompute(
  { temporal, taskQueue }: TracingDeps,
  input: RecomputeInput,
): Promise<string> {
  const workflowId = `recompute-costs/${input.tenant_id}`;
  try {
    await temporal.workflow.start<RecomputeCostsWorkflow>('recomputeCosts', {
      workflowId,
      taskQueue,
      args: [input],
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) throw new RecomputeRunning();
    throw error;
  }
  return workflowId;
}
