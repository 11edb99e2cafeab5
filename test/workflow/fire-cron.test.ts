import { randomUUID } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import type { CronActivities } from '../../workflows/runs/contracts.ts';
import type { fireCron } from '../../workflows/runs/fire-cron.ts';
import { until } from '../support/until.ts';
import { useTemporal } from '../support/use-temporal.ts';

const temporal = useTemporal();
const input = () => ({ cron_id: randomUUID(), schedule: '0 9 1 1 *', timezone: 'Europe/Berlin' });

test('a manual wake-up fires for its start time, and returns the run', async () => {
  const fireDue = jest.fn<CronActivities['fireDue']>(async () => ({ run_id: 'r' }));
  const taskQueue = await temporal.startWorker({ fireDue });
  const [args, before] = [[input()] as const, Date.now()];
  const options = { taskQueue, workflowId: randomUUID(), args: [args[0]] as [(typeof args)[0]] };
  expect(await temporal.client.workflow.execute<typeof fireCron>('fireCron', options)).toEqual({
    run_id: 'r',
  });
  expect(fireDue).toHaveBeenCalledWith({ ...args[0], woken_for: expect.any(String) });
  const wokenFor = Date.parse(fireDue.mock.calls[0]![0].woken_for);
  expect(wokenFor).toBeGreaterThanOrEqual(before - 1_000);
  expect(wokenFor).toBeLessThanOrEqual(Date.now() + 1_000);
});

test("a schedule's wake-up fires for the scheduled time", async () => {
  const fireDue = jest.fn<CronActivities['fireDue']>(async () => ({ skipped: 'for the test' }));
  const taskQueue = await temporal.startWorker({ fireDue });
  const schedule = await temporal.client.schedule.create({
    scheduleId: randomUUID(),
    spec: { cronExpressions: ['0 9 1 1 *'] },
    action: { type: 'startWorkflow', workflowType: 'fireCron', taskQueue, args: [input()] },
    state: { paused: true },
  });
  // A time long past, like one that waited for a worker.
  const start = new Date('2026-01-01T08:59:59Z');
  await schedule.backfill({ start, end: new Date('2026-01-01T09:00:01Z') });
  await until('it is woken', () => fireDue.mock.calls.length > 0);
  expect(fireDue.mock.calls.map(([{ woken_for }]) => woken_for)).toEqual(['2026-01-01T09:00:00.000Z']);
  await schedule.delete();
});

test('retries until the cron can be read', async () => {
  let tries = 0;
  const fireDue = jest.fn<CronActivities['fireDue']>(async () => {
    if (++tries < 3) throw new Error('database away');
    return { run_id: 'r' };
  });
  const taskQueue = await temporal.startWorker({ fireDue });
  const options = { taskQueue, workflowId: randomUUID(), args: [input()] as [ReturnType<typeof input>] };
  expect(await temporal.client.workflow.execute<typeof fireCron>('fireCron', options)).toEqual({
    run_id: 'r',
  });
  expect(tries).toBe(3);
});
