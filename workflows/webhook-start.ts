import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import type { QueuedRun } from './contracts.ts';
import type { deliverWebhook } from './deliver-webhook.ts';

/** Starts the delivery of an ended run's webhook; from here on it is on its own. */
export async function startDelivery(deployment: string, { run_id }: QueuedRun): Promise<void> {
  try {
    await CancellationScope.nonCancellable(() =>
      startChild<typeof deliverWebhook>('deliverWebhook', {
        workflowId: `${deployment}/webhook/${run_id}`,
        args: [{ run_id }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: `webhook of run ${run_id}`,
      }),
    );
  } catch (error) {
    // The sweep was quicker.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
