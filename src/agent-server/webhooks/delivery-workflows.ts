import { WorkflowNotFoundError } from '@temporalio/client';
import type {
  AttemptMade,
  DeliverWebhookInput,
  DeliverWebhookWorkflow,
} from '../../../workflows/runs/contracts.ts';
import { callEngine } from '../../platform/temporal/engine-call.ts';
import type { AgentDeps } from '../agent-deps.ts';

// Longest a read waits for a slow or unreachable Temporal.
const PATIENCE_MS = 2_000;

export const deliveryWorkflowId = ({ config }: Pick<AgentDeps, 'config'>, runId: string): string =>
  `${config.SLIPWAY_DEPLOYMENT}/webhook/${runId}`;

export const deliveryStart = (deps: AgentDeps, run_id: string) => ({
  workflowId: deliveryWorkflowId(deps, run_id),
  taskQueue: deps.threads.taskQueue,
  args: [{ run_id }] as [DeliverWebhookInput],
  staticSummary: `webhook of run ${run_id}`,
});

/** Sends the webhook immediately, in its existing workflow or a new one. Throws Unavailable. */
export async function deliverNow(deps: AgentDeps, runId: string): Promise<void> {
  const deadlineMs = deps.config.SLIPWAY_TEMPORAL_DEADLINE_SECONDS * 1000;
  const call = { client: deps.temporal, deadlineMs };
  await callEngine(call, 'Webhooks cannot be sent now; try again', () =>
    deps.temporal.workflow.signalWithStart<DeliverWebhookWorkflow, []>('deliverWebhook', {
      ...deliveryStart(deps, runId),
      signal: 'retry',
    }),
  );
}

/** The latest attempts, from the workflow; undefined if it doesn't answer or never existed. */
export async function attemptsOf(deps: AgentDeps, runId: string): Promise<AttemptMade[] | undefined> {
  const handle = deps.temporal.workflow.getHandle(deliveryWorkflowId(deps, runId));
  try {
    return await deps.temporal.withDeadline(Date.now() + PATIENCE_MS, () =>
      handle.query<AttemptMade[]>('attempts'),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError))
      deps.log.warn({ err: error, run_id: runId }, 'could not read the attempts of a webhook');
    return undefined;
  }
}
