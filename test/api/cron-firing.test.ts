import { beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/platform/db/database.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';
import { useTemporal } from '../support/use-temporal.ts';

const api = useApi();
const temporal = useTemporal();
const YEARLY = '0 9 1 1 *';

const scheduleOf = ({ cron_id }: { cron_id: string }) =>
  temporal.client.schedule.getHandle(`${api.server.deployment}/cron/${cron_id}`);

/** The cron's runs, including those without a thread of the caller. */
async function runsOf({ cron_id }: { cron_id: string }): Promise<any[]> {
  const db = openDatabase({ url: api.databaseUrl, poolSize: 1 });
  try {
    const { rows } = await db.query(
      `select run.*, hidden, slot from run join thread using (thread_id) join cron_firing using (run_id)
       where run.metadata->>'cron_id' = $1 order by slot`,
      [cron_id],
    );
    return rows;
  } finally {
    await db.end();
  }
}

async function ended(cron: { cron_id: string }, count = 1): Promise<any[]> {
  let runs: any[] = [];
  await until(`${count} runs of the cron end`, async () => {
    runs = await runsOf(cron);
    return runs.length >= count && runs.every(({ ended_at }) => ended_at);
  });
  return runs;
}

const create = async (body: object, path = '/runs/crons') =>
  (await api.post(path, { assistant_id: 'echo', schedule: YEARLY, ...body })).json;

describe('fires on time', () => {
  const made: Record<string, any> = {};
  let slot: string;

  beforeAll(async () => {
    const { json: thread } = await api.post('/threads', {});
    // Enough of the minute must be left to create them all, even on a busy machine.
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 500));
    const every = { schedule: '* * * * *', input: { text: 'tick' } };
    const bodies: Record<string, Parameters<typeof create>> = {
      temporary: [every],
      kept: [{ ...every, on_run_completed: 'keep' }],
      threaded: [every, `/threads/${thread.thread_id}/runs/crons`],
      disabled: [{ ...every, enabled: false }],
      over: [{ ...every, end_time: new Date(Date.now() + 500).toISOString() }],
    };
    const making = Object.entries(bodies).map(async ([name, body]) => (made[name] = await create(...body)));
    await Promise.all(making);
    const slots = ['temporary', 'kept', 'threaded'].map((name) => made[name].next_run_date);
    expect(new Set(slots).size).toBe(1);
    [slot] = slots;
    await new Promise((resolve) => setTimeout(resolve, Date.parse(slot) - Date.now()));
    await Promise.all(['temporary', 'kept', 'threaded'].map((name) => ended(made[name])));
  });

  // The benchmark measures how late they are.
  test.each(['temporary', 'kept', 'threaded'])('a %s cron starts one run', async (name) => {
    const [run, ...others] = await runsOf(made[name]);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ status: 'success', assistant_id: made[name].assistant_id, slot });
    expect(Date.parse(run.created_at)).toBeGreaterThanOrEqual(Date.parse(slot));
    const { json: cron } = await api.get(`/runs/crons/${made[name].cron_id}`);
    expect(Date.parse(cron.next_run_date) - Date.parse(slot)).toBe(60_000);
  });

  test('does not fire when disabled or ended', async () => {
    expect(await runsOf(made['disabled'])).toEqual([]);
    expect(await runsOf(made['over'])).toEqual([]);
    expect(made['over'].next_run_date).toBeNull();
  });
});

describe('a fired run', () => {
  test('without a thread has a temporary one, and carries metadata and payload', async () => {
    const cron = await create({
      input: { text: 'hi' },
      metadata: { team: 'a' },
      config: { tags: ['t'], recursion_limit: 9, configurable: { mine: 1 }, metadata: { from: 'config' } },
      webhook: 'https://a.example/done',
      stream_mode: ['updates', 'values'],
      interrupt_before: ['nowhere'],
      durability: 'exit',
    });
    await scheduleOf(cron).trigger();
    const [run] = await ended(cron);
    const { cron_id, assistant_id } = cron;
    expect(run).toMatchObject({ hidden: true, status: 'success', multitask_strategy: 'enqueue' });
    expect(run.metadata).toEqual({ team: 'a', from: 'config', cron_id, assistant_id, graph_id: 'echo' });
    expect(run.kwargs).toMatchObject({
      input: { text: 'hi' },
      config: { tags: ['t'], recursion_limit: 9, configurable: { mine: 1, cron_id }, metadata: { cron_id } },
      context: { mine: 1 },
      webhook: 'https://a.example/done',
      stream_mode: ['updates', 'values'],
      interrupt_before: ['nowhere'],
      durability: 'exit',
      temporary: true,
    });
  });

  test('on a kept thread can be found by its cron', async () => {
    const cron = await create({ input: { text: 'kept' }, on_run_completed: 'keep', context: { mine: 1 } });
    await scheduleOf(cron).trigger();
    const [run] = await ended(cron);
    expect(run.kwargs).toMatchObject({ temporary: false, context: { mine: 1 } });
    const { json: found } = await api.post('/threads/search', { metadata: { cron_id: cron.cron_id } });
    expect(found).toMatchObject([
      { thread_id: run.thread_id, status: 'idle', values: { text: 'kept', echo: 'kept' } },
    ]);
    expect((await api.get(`/threads/${run.thread_id}/runs/${run.run_id}`)).json.status).toBe('success');
  });

  test('on a thread follows the multitask strategy', async () => {
    const { json: thread } = await api.post('/threads', {});
    const path = `/threads/${thread.thread_id}/runs`;
    const reject = await create({ multitask_strategy: 'reject' }, `${path}/crons`);
    const interrupt = await create({ multitask_strategy: 'interrupt' }, `${path}/crons`);
    const { json: long } = await api.post(path, { assistant_id: 'sleepy', input: { ms: 600_000 } });
    await scheduleOf(reject).trigger();
    await until('the wake ends', async () => {
      const [action] = (await scheduleOf(reject).describe()).info.recentActions;
      if (!action) return false;
      const { workflowId } = action.action.workflow;
      const result = await temporal.client.workflow.getHandle(workflowId).result();
      expect(result).toEqual({ skipped: expect.stringContaining('already running') });
      return true;
    });
    expect(await runsOf(reject)).toEqual([]);
    await scheduleOf(interrupt).trigger();
    expect(await ended(interrupt)).toMatchObject([{ thread_id: thread.thread_id, status: 'success' }]);
    expect((await api.get(`${path}/${long.run_id}`)).json.status).toBe('interrupted');
  });

  test("uses the assistant's current version", async () => {
    const { json: assistant } = await api.post('/assistants', { graph_id: 'echo' });
    const cron = await create({ assistant_id: assistant.assistant_id });
    await api.patch(`/assistants/${assistant.assistant_id}`, { config: { configurable: { later: true } } });
    await scheduleOf(cron).trigger();
    const [run] = await ended(cron);
    expect(run.kwargs.config.configurable).toMatchObject({ later: true, cron_id: cron.cron_id });
  });
});
