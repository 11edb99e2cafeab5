import { beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@langchain/langgraph-sdk';
import type { AgentServer } from '../support/agent-server.ts';
import { useTemporal } from '../support/use-temporal.ts';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';

const cluster = useCluster();
const temporal = useTemporal();
const YEARLY = '0 9 1 1 *';
let server: AgentServer;
let client: Client;

beforeAll(async () => {
  server = await cluster.start({ env: { SLIPWAY_SWEEP_SECONDS: '2' } });
  client = clientOf(server);
});

const scheduleId = (cronId: string) => `${cluster.deployment}/cron/${cronId}`;
const scheduleOf = (cronId: string) => temporal.client.schedule.getHandle(scheduleId(cronId));
const make = (schedule = YEARLY) => client.crons.create('echo', { schedule, input: { text: 'tick' } });
const shown = async (cronId: string): Promise<Record<string, any>> =>
  (await fetch(`${server.url}/crons/${cronId}`)).json() as never;

async function firings(cronId: string): Promise<Date[]> {
  const { rows } = await cluster.db.query<{ slot: string }>(
    'select slot from cron_firing join run using (run_id) where cron_id = $1 order by slot',
    [cronId],
  );
  return rows.map(({ slot }) => new Date(slot));
}

/** Waits until the lists of both schedules and crons show a change. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 3_500));

test('a schedule paused by an operator disables its cron within seconds, and resuming enables it', async () => {
  const { cron_id } = await make();
  expect(await shown(cron_id)).toMatchObject({ enabled: true, is_enabled: true });
  await settled();
  await scheduleOf(cron_id).pause('not this week');
  await until('the API shows it disabled', async () => !(await shown(cron_id))['enabled']);
  expect(await client.crons.search({ enabled: false })).toMatchObject([{ cron_id }]);
  expect((await scheduleOf(cron_id).describe()).state).toMatchObject({ paused: true, note: 'not this week' });
  await scheduleOf(cron_id).unpause();
  await until('the API shows it enabled', async () => (await shown(cron_id))['enabled'] === true);
  const { next_run_date } = await shown(cron_id);
  expect(next_run_date).toMatch(/-01-01T09:00:00/);
});

test('a cron paused by an operator stays paused when a client changes something else', async () => {
  const { cron_id } = await make();
  await settled();
  await scheduleOf(cron_id).pause();
  const patched = await client.crons.update(cron_id, { metadata: { a: 1 } });
  expect(patched).toMatchObject({ enabled: false, metadata: { a: 1 } });
  expect((await scheduleOf(cron_id).describe()).state.paused).toBe(true);
  expect(await client.crons.update(cron_id, { enabled: true })).toMatchObject({ enabled: true });
  expect((await scheduleOf(cron_id).describe()).state.paused).toBe(false);
});

test('every trigger by an operator starts a run, whether or not the cron is enabled', async () => {
  const { cron_id } = await make();
  await client.crons.update(cron_id, { enabled: false });
  for (const count of [1, 2]) {
    await scheduleOf(cron_id).trigger();
    await until(`run ${count} exists`, async () => (await firings(cron_id)).length === count);
    // Temporal distinguishes triggers by the second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  }
  expect(await firings(cron_id)).toHaveLength(2);
  expect(await shown(cron_id)).toMatchObject({ enabled: false });
});

test('a lost schedule is recreated, a schedule without its cron is removed', async () => {
  const { cron_id } = await make('30 4 * * MON');
  const gone = await make();
  await scheduleOf(cron_id).delete();
  // As when a thread's ttl removes its crons.
  await cluster.db.query('delete from cron where cron_id = $1', [gone.cron_id]);
  await until('the schedule exists again', async () => {
    const description = await scheduleOf(cron_id)
      .describe()
      .catch(() => undefined);
    return description?.state.paused === false;
  });
  await until('the orphan is gone', async () => {
    const description = await scheduleOf(gone.cron_id)
      .describe()
      .catch(() => undefined);
    return description === undefined;
  });
});

test('a schedule that missed a change of its cron is updated', async () => {
  const { cron_id } = await make();
  // The state left by an API killed between writing the row and creating the schedule.
  await cluster.db.query(
    `update cron set enabled = false, schedule = '0 10 1 1 *', revision = revision + 1 where cron_id = $1`,
    [cron_id],
  );
  await until('the schedule is paused', async () => {
    const { state, info } = await scheduleOf(cron_id).describe();
    return state.paused && /-01-01T10:00:00/.test(info.nextActionTimes[0]?.toISOString() ?? '');
  });
  expect(await shown(cron_id)).toMatchObject({ enabled: false, schedule: '0 10 1 1 *' });
});

test('the sweep fires an overdue cron, once for all missed times', async () => {
  const { cron_id } = await make();
  await cluster.db.query(
    `update cron set next_run_date = now() - interval '3 years', scheduled_at = now() - interval '3 years'
     where cron_id = $1`,
    [cron_id],
  );
  await until('it is fired', async () => (await firings(cron_id)).length > 0);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(await firings(cron_id)).toHaveLength(1);
  expect((await shown(cron_id))['next_run_date']).toMatch(/-01-01T09:00:00/);
});

test('deleting a cron, its thread or its assistant removes the schedule', async () => {
  const { thread_id } = await client.threads.create();
  const { assistant_id } = await client.assistants.create({ graphId: 'echo' });
  const onThread = await client.crons.createForThread(thread_id, 'echo', { schedule: YEARLY });
  const ofAssistant = await client.crons.create(assistant_id, { schedule: YEARLY });
  const alone = await make();
  await client.crons.delete(alone.cron_id);
  await client.threads.delete(thread_id);
  await client.assistants.delete(assistant_id);
  for (const { cron_id } of [onThread, ofAssistant, alone])
    await expect(scheduleOf(cron_id).describe()).rejects.toThrow();
});

test('waking a deleted cron does nothing', async () => {
  const { cron_id } = await make();
  await cluster.db.query('delete from cron where cron_id = $1', [cron_id]);
  const handle = await temporal.client.workflow.start('fireCron', {
    workflowId: `${scheduleId(cron_id)}-by-hand`,
    taskQueue: `slipway-${cluster.deployment}`,
    args: [{ cron_id }],
  });
  expect(await handle.result()).toEqual({ skipped: 'the cron was deleted' });
});
