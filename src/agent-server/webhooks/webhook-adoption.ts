import { WorkflowNotFoundError } from '@temporalio/client';
import type { DeliverWebhookWorkflow } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { deliveryStart, deliveryWorkflowId } from './delivery-workflows.ts';
import { giveUpDelivery, listOverdue } from '../records/webhook-delivery-repository.ts';

const MOST_AT_ONCE = 500;

/**
 * Starts the workflows of due webhooks that have none open, because the code that ended the run couldn't start them.
 * Gives up those that an operator stopped. Returns how many were started.
 */
export async function adoptDeliveries(deps: AgentDeps): Promise<number> {
  const { db, config, temporal } = deps;
  let started = 0;
  for (const run_id of await listOverdue(db, config.SLIPWAY_SWEEP_SECONDS, MOST_AT_ONCE)) {
    const status = await statusOf(deps, deliveryWorkflowId(deps, run_id));
    if (status === 'RUNNING') continue;
    if (status === 'TERMINATED' || status === 'CANCELLED') {
      await giveUpDelivery(db, run_id, 'stopped by an operator', config.SLIPWAY_EVENT_RETENTION_SECONDS);
      continue;
    }
    await temporal.workflow.start<DeliverWebhookWorkflow>('deliverWebhook', {
      ...deliveryStart(deps, run_id),
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    started++;
  }
  return started;
}

async function statusOf({ temporal }: AgentDeps, workflowId: string): Promise<string | undefined> {
  try {
    return (await temporal.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
