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
  /** Time limit of one run. */
  timeout: '5 minutes' | '3 hours';
}

const DEFAULT_MINUTES = 5;
const DEFAULT_LIMIT = 1000;
const DEADLINE_MS = 10_000;

/** Sweeps of an agent server: runs at its own interval, TTLs at the interval in the project's configuration. */
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

/** Owner of Schedules: the name of a deployment or platform, and its task queue. */
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

/** Creates or updates the Schedule `<owner>/<name>`; safe to call from several processes. */
export async function ensureSweep(client: Client, owner: SweepOwner, sweep: Sweep): Promise<void> {
  if (await restoreSweep(client, owner, sweep)) return;
  const { scheduleId, spec, action, policies } = scheduleOf(owner, sweep);
  const handle = client.schedule.getHandle(scheduleId);
  await handle.update((known) => ({ ...known, spec, action: { ...known.action, ...action }, policies }));
}

/** Creates the Schedule if it is missing. Returns whether it did. */
async function restoreSweep(client: Client, owner: SweepOwner, sweep: Sweep): Promise<boolean> {
  try {
    await client.schedule.create(scheduleOf(owner, sweep));
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

/** Recreates Schedules that Temporal lost. */
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
  // Temporal works in whole seconds.
  const spec = { intervals: [{ every: Math.max(1, Math.round(sweep.everySeconds)) * 1000 }] };
  const action = {
    type: 'startWorkflow' as const,
    workflowType: sweep.workflowType,
    workflowId: scheduleId,
    taskQueue,
    args: sweep.args ?? [],
    workflowRunTimeout: sweep.timeout,
  };
  // The next run covers what was missed during downtime.
  const policies = { overlap: 'SKIP' as const, catchupWindow: '10 seconds' as const };
  return { scheduleId, spec, action, policies };
}
