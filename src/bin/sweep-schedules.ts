import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import type { SweepThreadsInput } from '../../workflows/contracts.ts';
import type { AgentSettings } from '../agent-server/agent-settings.ts';
import type { ProjectConfig } from '../agent-server/graphs/project-schema.ts';

export interface Sweep {
  name: string;
  workflowType: string;
  everySeconds: number;
  args?: unknown[];
  /** Longest one turn may take. */
  timeout: '5 minutes' | '3 hours';
}

const DEFAULT_MINUTES = 5;
const DEFAULT_LIMIT = 1000;

/** What is swept, and how often: runs at the server's own pace, ttls at the pace the project's file sets. */
function sweeps(config: AgentSettings, { checkpointer, store }: ProjectConfig): Sweep[] {
  const { sweep_interval_minutes: threads = DEFAULT_MINUTES, sweep_limit: limit = DEFAULT_LIMIT } =
    checkpointer?.ttl ?? {};
  const { sweep_interval_minutes: items = DEFAULT_MINUTES } = store?.ttl ?? {};
  const long = { timeout: '3 hours' } as const;
  const input: SweepThreadsInput = { limit };
  return [
    {
      name: 'sweep',
      workflowType: 'sweepRuns',
      everySeconds: config.SLIPWAY_SWEEP_SECONDS,
      timeout: '5 minutes',
    },
    {
      name: 'sweep-threads',
      workflowType: 'sweepThreads',
      everySeconds: threads * 60,
      args: [input],
      ...long,
    },
    { name: 'sweep-items', workflowType: 'sweepItems', everySeconds: items * 60, ...long },
  ];
}

/** The housekeeping Schedules of a deployment: one of each, however many processes start them. */
export async function ensureSweeps(
  client: Client,
  config: AgentSettings,
  project: ProjectConfig,
  taskQueue: string,
): Promise<void> {
  await Promise.all(
    sweeps(config, project).map((sweep) => ensureSweep(client, config.SLIPWAY_DEPLOYMENT, taskQueue, sweep)),
  );
}

/** Removes the Schedule of a sweep that older versions had. */
export async function removeSweep(client: Client, owner: string, name: string): Promise<void> {
  try {
    await client.schedule.getHandle(`${owner}/${name}`).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/** One Schedule, `<owner>/<name>`; changed where it is there already. */
export async function ensureSweep(
  client: Client,
  owner: string,
  taskQueue: string,
  sweep: Sweep,
): Promise<void> {
  const scheduleId = `${owner}/${sweep.name}`;
  // Temporal keeps time in whole seconds.
  const spec = { intervals: [{ every: Math.max(1, Math.round(sweep.everySeconds)) * 1000 }] };
  const action = {
    type: 'startWorkflow' as const,
    workflowType: sweep.workflowType,
    workflowId: scheduleId,
    taskQueue,
    args: sweep.args ?? [],
    workflowRunTimeout: sweep.timeout,
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
