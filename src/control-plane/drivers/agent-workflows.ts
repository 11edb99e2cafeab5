import { type Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';

const TURNS = 20;
const PAGE = 1_000;
const REASON = 'the deployment was removed';

/** Ends all schedules and open workflows of a deployment, which are those whose ids begin with its own. */
export async function endWorkflows(client: Client, deploymentId: string): Promise<void> {
  const prefix = `${deploymentId}/`;
  const schedules = client.schedule.list({ query: `ScheduleId STARTS_WITH '${prefix}'`, pageSize: PAGE });
  for await (const { scheduleId } of schedules) {
    if (scheduleId.startsWith(prefix))
      await unlessGone(client.schedule.getHandle(scheduleId).delete(), ScheduleNotFoundError);
  }
  const query = `WorkflowId STARTS_WITH '${prefix}' and ExecutionStatus = 'Running'`;
  // Visibility lags behind, so repeat until none is found.
  for (let turn = 0; turn < TURNS; turn++) {
    let found = 0;
    for await (const { workflowId } of client.workflow.list({ query, pageSize: PAGE })) {
      found++;
      await unlessGone(client.workflow.getHandle(workflowId).terminate(REASON), WorkflowNotFoundError);
    }
    if (found === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function unlessGone(work: Promise<unknown>, gone: new (...args: never[]) => Error): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof gone)) throw error;
  }
}
