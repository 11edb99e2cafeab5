import { type Client, ScheduleNotFoundError } from '@temporalio/client';

// Schedules of earlier versions, whose sweeps run on timers now.
export const AGENT_SCHEDULES = ['sweep', 'sweep-threads', 'sweep-items'];
export const PLATFORM_SCHEDULES = [
  'sweep',
  'sweep-scale',
  'sweep-usage',
  'sweep-orphans',
  'sweep-builds',
  'sweep-records',
  'sweep-traces',
  'fold-run-minutes',
  'pack-runs',
];

/** Removes the Schedules `<owner>/<name>` that exist. */
export async function removeSchedules(client: Client, owner: string, names: string[]): Promise<void> {
  await Promise.all(
    names.map((name) =>
      client.schedule
        .getHandle(`${owner}/${name}`)
        .delete()
        .catch((error: unknown) => {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
        }),
    ),
  );
}
