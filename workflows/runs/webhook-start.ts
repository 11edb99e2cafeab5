import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { DeliverWebhookWorkflow, QueuedRun } from './contracts.ts';

/** Starts the webhook delivery of an ended run, independent of the thread. */
export async function startDelivery(deployment: string, { run_id }: QueuedRun): Promise<void> {
  try {
    await CancellationScope.nonCancellable(() =>
      startChild<DeliverWebhookWorkflow>('deliverWebhook', {
        workflowId: `${deployment}/webhook/${run_id}`,
        args: [{ run_id }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: `webhook of run ${run_id}`,
      }),
    );
  } catch (error) {
    // The sweep started it first.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
