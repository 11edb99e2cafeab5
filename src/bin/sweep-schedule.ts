import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import type { AgentSettings } from '../agent-server/agent-settings.ts';

/** One housekeeping Schedule per deployment, however many processes start it. */
export async function ensureSweep(client: Client, config: AgentSettings, taskQueue: string): Promise<void> {
  const scheduleId = `${config.SLIPWAY_DEPLOYMENT}/sweep`;
  const spec = { intervals: [{ every: config.SLIPWAY_SWEEP_SECONDS * 1000 }] };
  const action = {
    type: 'startWorkflow' as const,
    workflowType: 'sweepRuns',
    workflowId: `${config.SLIPWAY_DEPLOYMENT}/sweep`,
    taskQueue,
    workflowRunTimeout: '5 minutes' as const,
  };
  // What was missed while everything was down is swept by the next turn anyway.
  const policies = { overlap: 'SKIP' as const, catchupWindow: '10 seconds' as const };
  try {
    await client.schedule.create({ scheduleId, spec, action, policies });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(scheduleId);
    await handle.update((known) => ({ ...known, spec, action: { ...known.action, ...action }, policies }));
  }
}
