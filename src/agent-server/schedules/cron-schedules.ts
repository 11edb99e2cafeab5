import { type Client, type Month, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import type { FireCronInput } from '../../../workflows/runs/contracts.ts';
import { isUuid } from '../../platform/ids.ts';
import type { CronRow } from '../records/cron-repository.ts';
import { jumpedTimes } from './cron-jumps.ts';
import { wakesOf, zoneOf } from './cron-times.ts';

const MONTHS: Month[] = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
];

export interface CronSchedulesOptions {
  client: Client;
  deployment: string;
  taskQueue: string;
  /** Longest a call may take. */
  deadlineMs: number;
}

/** Manages the Temporal Schedules of a deployment's crons, `<deployment>/cron/<cron_id>`. */
export class CronSchedules {
  readonly #options: CronSchedulesOptions;

  constructor(options: CronSchedulesOptions) {
    this.#options = options;
  }

  get taskQueue(): string {
    return this.#options.taskQueue;
  }

  scheduleId(cronId: string): string {
    return `${this.#options.deployment}/cron/${cronId}`;
  }

  /** Creates or updates the schedule to match the cron. */
  async put(cron: CronRow): Promise<void> {
    const { client } = this.#options;
    const options = this.#optionsOf(cron);
    const state = { paused: !cron.enabled };
    await this.#call(async () => {
      try {
        await client.schedule.create({ scheduleId: this.scheduleId(cron.cron_id), ...options, state });
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
        const handle = client.schedule.getHandle(this.scheduleId(cron.cron_id));
        await handle.update((known) => ({ ...known, ...options, state: { ...known.state, ...state } }));
      }
    });
  }

  async remove(cronId: string): Promise<void> {
    const handle = this.#options.client.schedule.getHandle(this.scheduleId(cronId));
    await this.#call(() => handle.delete()).catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    });
  }

  /** Undefined if the cron has no schedule. */
  async isPaused(cronId: string): Promise<boolean | undefined> {
    const handle = this.#options.client.schedule.getHandle(this.scheduleId(cronId));
    try {
      return (await this.#call(() => handle.describe())).state.paused;
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return undefined;
      throw error;
    }
  }

  /** Ids of the crons that have a schedule (with `paused`, a paused one). The list may lag slightly. */
  async list({ paused = false } = {}): Promise<string[]> {
    const prefix = this.scheduleId('');
    const query = `ScheduleId STARTS_WITH '${prefix}'${paused ? ' and TemporalSchedulePaused = true' : ''}`;
    return this.#call(async () => {
      const ids: string[] = [];
      for await (const { scheduleId } of this.#options.client.schedule.list({ query, pageSize: 1_000 })) {
        const id = scheduleId.slice(prefix.length);
        // Ignore schedules that operators created under other names.
        if (isUuid(id)) ids.push(id);
      }
      return ids;
    });
  }

  #optionsOf(cron: CronRow) {
    const { cron_id, assistant_id, thread_id, schedule, timezone, end_time } = cron;
    const args: [FireCronInput] = [{ cron_id, schedule, timezone }];
    return {
      spec: {
        cronExpressions: wakesOf(cron),
        calendars: jumpedTimes(cron, new Date()).map(({ month, day, ...time }) => ({
          ...time,
          month: MONTHS[month - 1]!,
          dayOfMonth: day,
          comment: 'clocks go forward over it',
        })),
        timezone: zoneOf(timezone ?? 'UTC'),
        ...(end_time !== null && { endAt: new Date(end_time) }),
      },
      // Buffer at most one wake: the next one covers all missed times with a single run.
      policies: { overlap: 'BUFFER_ONE' as const, catchupWindow: '1 day' as const },
      action: {
        type: 'startWorkflow' as const,
        workflowType: 'fireCron' as const,
        workflowId: this.scheduleId(cron_id),
        taskQueue: this.#options.taskQueue,
        // If a worker dies, another one takes over its wake after this time.
        workflowTaskTimeout: '5 seconds' as const,
        args,
        memo: { assistant_id, thread_id },
        staticSummary: `cron ${schedule}`,
      },
    };
  }

  #call<T>(work: () => Promise<T>): Promise<T> {
    const { client, deadlineMs } = this.#options;
    return client.withDeadline(Date.now() + deadlineMs, work);
  }
}
