import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { useTemporal } from '../support/use-temporal.ts';
import { clientOf, eventually, SDKS } from './js-sdk-clients.ts';

const api = useApi();
const temporal = useTemporal();
const YEARLY = '0 9 1 1 *';
/** Half a year away, so that all its days are in the future and in order. */
const FAR_MONTH = ((new Date().getUTCMonth() + 6) % 12) + 1;

/** Fires the cron as an operator does. */
const trigger = (cronId: string) =>
  temporal.client.schedule.getHandle(`${api.server.deployment}/cron/${cronId}`).trigger();

describe.each(SDKS)('langgraph-sdk %s crons', (_version, Sdk) => {
  const client = clientOf.bind(undefined, Sdk, api);

  test('create returns the cron with its payload', async () => {
    const { crons } = client();
    const cron = await crons.create('echo', {
      schedule: YEARLY,
      input: { text: 'hi' },
      metadata: { team: 'a' },
      config: { configurable: { mine: 1 } },
      interruptBefore: ['nowhere'],
      multitaskStrategy: 'interrupt',
      webhook: 'https://a.example/done',
      enabled: false,
    });
    const { cron_id } = cron;
    expect(cron).toMatchObject({
      thread_id: null,
      user_id: '',
      schedule: YEARLY,
      end_time: null,
      metadata: { team: 'a' },
      on_run_completed: 'delete',
      enabled: false,
      is_enabled: false,
      payload: {
        assistant_id: 'echo',
        input: { text: 'hi' },
        config: { configurable: { mine: 1, cron_id } },
        interrupt_before: ['nowhere'],
        multitask_strategy: 'interrupt',
        webhook: 'https://a.example/done',
      },
    });
    expect(cron.next_run_date).toMatch(/-01-01T09:00:00\.000000\+00:00$/);
    await expect(crons.create('echo', { schedule: 'x' })).rejects.toMatchObject({ status: 422 });
    await expect(crons.create(randomUUID(), { schedule: YEARLY })).rejects.toMatchObject({ status: 404 });
  });

  test("a threadless cron keeps its runs' threads on request", async () => {
    const { crons, threads } = client();
    const cron = await crons.create('echo', {
      schedule: YEARLY,
      input: { text: 'kept' },
      onRunCompleted: 'keep',
    });
    await trigger(cron.cron_id);
    const [thread] = await eventually(async () => {
      const found = await threads.search({ metadata: { cron_id: cron.cron_id }, status: 'idle' });
      return found.length > 0 && found;
    });
    expect(thread!.values).toMatchObject({ text: 'kept', echo: 'kept' });
  });

  test('createForThread runs on the thread', async () => {
    const { crons, threads, runs } = client();
    const { thread_id } = await threads.create();
    const cron = await crons.createForThread(thread_id, 'echo', {
      schedule: YEARLY,
      input: { text: 'tick' },
    });
    expect(cron).toMatchObject({ thread_id, on_run_completed: null });
    await trigger(cron.cron_id);
    const [run] = await eventually(async () => {
      const found = await runs.list(thread_id);
      return found.length > 0 && found;
    });
    expect(run!.metadata).toMatchObject({ cron_id: cron.cron_id });
    expect(await runs.join(thread_id, run!.run_id)).toMatchObject({ echo: 'tick' });
    await expect(crons.createForThread(randomUUID(), 'echo', { schedule: YEARLY })).rejects.toMatchObject({
      status: 404,
    });
  });

  test('update merges metadata and changes the next run date', async () => {
    const { crons } = client();
    const { cron_id } = await crons.create('echo', { schedule: YEARLY, metadata: { a: 1, b: 1 } });
    const updated = await crons.update(cron_id, {
      schedule: '0 9 1 2 *',
      metadata: { b: 2 },
      input: { text: 'new' },
      endTime: '2099-01-01T00:00:00Z',
      enabled: false,
      onRunCompleted: 'keep',
    });
    expect(updated).toMatchObject({
      schedule: '0 9 1 2 *',
      metadata: { a: 1, b: 2 },
      enabled: false,
      on_run_completed: 'keep',
      end_time: '2099-01-01T00:00:00.000000+00:00',
      next_run_date: expect.stringMatching(/-02-01T09:00:00/),
      payload: { input: { text: 'new' } },
    });
    await expect(crons.update(cron_id, {})).rejects.toMatchObject({ status: 400 });
    await expect(crons.update(randomUUID(), { enabled: true })).rejects.toMatchObject({ status: 404 });
  });

  test('search filters, sorts, paginates and selects; count counts; delete removes', async () => {
    const { crons } = client();
    const mark = randomUUID();
    const made: string[] = [];
    for (const n of [1, 2, 3]) {
      const cron = await crons.create('echo', {
        schedule: `0 0 ${4 - n} ${FAR_MONTH} *`,
        metadata: { mark, n },
        enabled: n !== 2,
      });
      made.push(cron.cron_id);
    }
    const [one, two, three] = made;
    // Version 2.0.0 accepts no metadata here.
    const ids = async (query: object) =>
      (await crons.search({ limit: 100, ...query }))
        .map(({ cron_id }) => cron_id)
        .filter((id) => made.includes(id));
    expect(await ids({})).toEqual([three, two, one]);
    expect(await ids({ sortBy: 'next_run_date', sortOrder: 'asc' })).toEqual([three, two, one]);
    expect(await ids({ sortBy: 'next_run_date', sortOrder: 'desc' })).toEqual([one, two, three]);
    expect(await ids({ enabled: true })).toEqual([three, one]);
    expect(await ids({ assistantId: 'steps' })).toEqual([]);
    expect(await crons.search({ limit: 1 })).toMatchObject([{ cron_id: three }]);
    expect(await crons.search({ limit: 1, offset: 1 })).toMatchObject([{ cron_id: two }]);
    const [selected] = await crons.search({ limit: 1, select: ['cron_id', 'schedule'] });
    expect(selected).toEqual({ cron_id: three, schedule: `0 0 1 ${FAR_MONTH} *` });
    const { assistant_id } = (await crons.search({ limit: 1 }))[0]!;
    const before = await crons.count({ assistantId: assistant_id });
    expect(before).toBeGreaterThanOrEqual(3);
    expect(await crons.delete(two!)).toBeUndefined();
    expect(await crons.count({ assistantId: assistant_id })).toBe(before - 1);
    await expect(crons.delete(two!)).rejects.toMatchObject({ status: 404 });
  });
});
