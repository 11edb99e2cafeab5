import { WorkflowNotFoundError } from '@temporalio/client';
import type {
  AttemptMade,
  DeliverWebhookInput,
  DeliverWebhookWorkflow,
} from '../../../workflows/runs/contracts.ts';
import { callEngine } from '../../platform/temporal/engine-call.ts';
import type { AgentDeps } from '../agent-deps.ts';

// A reader does not wait longer for a Temporal that is slow or away.
const PATIENCE_MS = 2_000;

export const deliveryWorkflowId = ({ config }: Pick<AgentDeps, 'config'>, runId: string): string =>
  `${config.SLIPWAY_DEPLOYMENT}/webhook/${runId}`;

export const deliveryStart = (deps: AgentDeps, run_id: string) => ({
  workflowId: deliveryWorkflowId(deps, run_id),
  taskQueue: deps.threads.taskQueue,
  args: [{ run_id }] as [DeliverWebhookInput],
  staticSummary: `webhook of run ${run_id}`,
});

/** Has the webhook sent at once: by the workflow that is there, or by a new one. Throws Unavailable. */
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

/** The latest attempts, as the workflow remembers them; undefined where it does not answer, or never was. */
export async function attemptsOf(deps: AgentDeps, runId: string): Promise<AttemptMade[] | undefined> {
  const handle = deps.temporal.workflow.getHandle(deliveryWorkflowId(deps, runId));
  try {
    return await deps.temporal.withDeadline(Date.now() + PATIENCE_MS, () =>
      handle.query<AttemptMade[]>('attempts'),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError))
      deps.log.warn({ err: error, run_id: runId }, 'the attempts of a webhook cannot be read');
    return undefined;
  }
}
