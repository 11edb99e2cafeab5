import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import type { SweepThreadsInput } from '../../workflows/runs/contracts.ts';
import type { AgentSettings } from '../agent-server/agent-settings.ts';
import type { ProjectConfig } from '../graph-protocol/project-schema.ts';

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
const DEADLINE_MS = 10_000;

/** What is swept, and how often: runs at the server's own pace, ttls at the pace the project's file sets. */
export function sweepsOf(config: AgentSettings, { checkpointer, store }: ProjectConfig): Sweep[] {
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

/** Whose Schedules they are: the name of a deployment or a platform, and its task queue. */
export interface SweepOwner {
  name: string;
  taskQueue: string;
}

/** Removes the Schedule of a sweep that older versions had. */
export async function removeSweep(client: Client, owner: SweepOwner, name: string): Promise<void> {
  try {
    await client.schedule.getHandle(`${owner.name}/${name}`).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/** One Schedule, `<owner>/<name>`, however many processes make it; changed where it is there already. */
export async function ensureSweep(client: Client, owner: SweepOwner, sweep: Sweep): Promise<void> {
  if (await restoreSweep(client, owner, sweep)) return;
  const { scheduleId, spec, action, policies } = scheduleOf(owner, sweep);
  const handle = client.schedule.getHandle(scheduleId);
  await handle.update((known) => ({ ...known, spec, action: { ...known.action, ...action }, policies }));
}

/** The same where it is not there; returns whether it was made. One that is there stays as it is. */
async function restoreSweep(client: Client, owner: SweepOwner, sweep: Sweep): Promise<boolean> {
  try {
    await client.schedule.create(scheduleOf(owner, sweep));
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

/** Makes again those that Temporal has lost. */
export async function restoreSweeps(
  client: Client,
  owner: SweepOwner,
  sweeps: Sweep[],
  log: Logger,
): Promise<void> {
  await client.withDeadline(Date.now() + DEADLINE_MS, () =>
    Promise.all(
      sweeps.map(async (sweep) => {
        if (await restoreSweep(client, owner, sweep))
          log.warn(
            { schedule: `${owner.name}/${sweep.name}` },
            'Temporal had lost a schedule: it is made again',
          );
      }),
    ),
  );
}

function scheduleOf({ name, taskQueue }: SweepOwner, sweep: Sweep) {
  const scheduleId = `${name}/${sweep.name}`;
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
  return { scheduleId, spec, action, policies };
}
