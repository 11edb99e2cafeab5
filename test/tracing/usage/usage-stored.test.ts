import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { ask, type PlatformProcess, usePlatform } from '../../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api', { SLIPWAY_USAGE_SWEEP_SECONDS: '1' });
});

const START = Date.parse('2025-10-01T12:00:00Z');
const gpt4o = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello world' }] };
const completion = {
  choices: [{ message: { role: 'assistant', content: 'hello world' } }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};

/** Posts runs of one trace below a root. Returns their ids, the root's first. */
async function trace(...children: Record<string, unknown>[]): Promise<string[]> {
  const ids = [randomUUID(), ...children.map(() => randomUUID())];
  const segment = (index: number) =>
    `${new Date(START + index).toISOString().replaceAll(/[-:.]/g, '').slice(0, -1)}000Z${ids[index]}`;
  const post = [{ name: 'root', run_type: 'chain', outputs: {} }, ...children].map((run, index) => ({
    id: ids[index],
    trace_id: ids[0],
    name: 'child',
    start_time: START + index,
    end_time: START + index + 1,
    dotted_order: index === 0 ? segment(0) : `${segment(0)}.${segment(index)}`,
    ...(index > 0 && { parent_run_id: ids[0] }),
    ...run,
  }));
  const { status, json } = await ask(api.url, 'POST', '/runs/batch', { post });
  expect([status, json.errors]).toEqual([202, undefined]);
  return ids;
}
const read = async (id: string) => (await ask(api.url, 'GET', `/runs/${id}`)).json;
const usageOf = async (id: string) =>
  (await platform.db.query<{ usage: any }>('select usage from tracing.run where id = $1', [id])).rows[0]!
    .usage;
const due = async () => {
  const { rows } = await platform.db.query<{ run_id: string }>('select run_id from tracing.usage_due');
  return rows.map(({ run_id }) => run_id).sort();
};

test('a call has its tokens and costs, a root those of its trace, each counted once', async () => {
  const [root, call, repeats, tool] = (await trace(
    { run_type: 'llm', inputs: gpt4o, outputs: completion },
    {
      run_type: 'chain',
      outputs: {
        messages: [{ type: 'ai', content: 'x', usage_metadata: { input_tokens: 1000, output_tokens: 100 } }],
      },
    },
    { run_type: 'tool', outputs: { usage_metadata: { total_cost: 0.5 } } },
  )) as [string, string, string, string];
  expect(await read(call)).toMatchObject({
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    prompt_cost: '0.0025',
    completion_cost: '0.001',
    total_cost: '0.0035',
    price_model_id: null,
  });
  expect(await read(repeats)).toMatchObject({ total_tokens: null, total_cost: null });
  expect(await read(tool)).toMatchObject({ total_tokens: null, prompt_cost: null, total_cost: '0.5' });
  expect(await read(root)).toMatchObject({
    prompt_tokens: 1000,
    completion_tokens: 100,
    total_tokens: 1100,
    prompt_cost: '0.0025',
    total_cost: '0.5035',
  });
});

test('a root sums the details of all nested calls', async () => {
  const cached = (cache_read: number) => ({
    run_type: 'llm',
    inputs: gpt4o,
    outputs: {
      usage_metadata: {
        input_tokens: 100,
        output_tokens: 10,
        input_token_details: { cache_read },
        output_token_details: { reasoning: 4 },
      },
    },
  });
  const [root] = await trace(cached(40), cached(20));
  expect(await read(root!)).toMatchObject({
    prompt_tokens: 200,
    total_tokens: 220,
    prompt_token_details: { cache_read: 60 },
    completion_token_details: { reasoning: 8 },
    prompt_cost_details: { cache_read: '0.000075' },
    completion_cost_details: null,
  });
});

test('own prices apply to new runs and to recomputed ones', async () => {
  const [, before] = await trace({
    run_type: 'llm',
    inputs: { ...gpt4o, model: 'ours-1' },
    outputs: completion,
  });
  expect(await read(before!)).toMatchObject({ total_tokens: 1100, total_cost: null });
  const price = { name: 'ours', match_pattern: '^ours-', prompt_cost: '0.000001', completion_cost: 2e-6 };
  const { json: row, status } = await ask(api.url, 'POST', '/api/v1/model-price-map', price);
  expect([status, row]).toEqual([
    200,
    expect.objectContaining({
      prompt_cost: '0.000001',
      completion_cost: '0.000002',
      start_time: null,
      provider: null,
    }),
  ]);
  const [, after] = await trace({
    run_type: 'llm',
    inputs: { ...gpt4o, model: 'ours-1' },
    outputs: completion,
  });
  expect(await read(after!)).toMatchObject({ total_cost: '0.0012', price_model_id: row.id });
  expect(await usageOf(after!)).toMatchObject({ rates: { prompt: '0.000001', completion: '0.000002' } });
  expect((await read(before!)).total_cost).toBeNull();

  const put = await ask(api.url, 'PUT', `/model-price-map/${row.id}`, { ...price, prompt_cost: '0.000003' });
  expect(put.json).toMatchObject({ id: row.id, prompt_cost: '0.000003' });
  expect((await ask(api.url, 'GET', '/model-price-map')).json).toEqual([put.json]);

  const asked = await ask(api.url, 'POST', '/model-price-map/recompute', {});
  expect(asked.status).toBe(202);
  expect((await ask(api.url, 'POST', '/model-price-map/recompute', {})).status).toBe(409);
});

test('rejects invalid prices and answers 404 for unknown ids', async () => {
  const price = { name: 'x', match_pattern: 'x', prompt_cost: 1, completion_cost: 1 };
  for (const wrong of [
    { match_pattern: '(' },
    { prompt_cost: 'free' },
    { prompt_cost: -1 },
    { match_path: ['tenant'] },
  ])
    expect((await ask(api.url, 'POST', '/model-price-map', { ...price, ...wrong })).status).toBe(422);
  expect((await ask(api.url, 'PUT', `/model-price-map/${randomUUID()}`, price)).status).toBe(404);
  expect((await ask(api.url, 'DELETE', `/model-price-map/${randomUUID()}`)).status).toBe(404);
});

test('a worker fills in usage unknown at storage time, without losses', async () => {
  const [, silent] = await trace({
    run_type: 'llm',
    inputs: gpt4o,
    outputs: { choices: completion.choices },
  });
  const [, failed] = await trace({ run_type: 'llm', inputs: gpt4o, error: 'Error: 429' });
  const [late, typeless] = [randomUUID(), randomUUID()];
  const patch = { outputs: { usage: completion.usage }, end_time: START + 9 };
  expect((await ask(api.url, 'PATCH', `/runs/${late}`, { ...patch, run_type: 'llm' })).status).toBe(202);
  expect((await ask(api.url, 'PATCH', `/runs/${typeless}`, patch)).status).toBe(202);
  for (const id of [late, typeless])
    await ask(api.url, 'POST', '/runs', { id, name: 'm', run_type: 'llm', inputs: gpt4o, start_time: START });
  expect(await due()).toEqual([silent!, late, typeless].sort());
  await api.end('SIGKILL');

  api = await platform.start('platform', {
    SLIPWAY_USAGE_SWEEP_SECONDS: '1',
    // Keeps the runs of these tests from expiring as time passes.
    SLIPWAY_TRACE_RETENTION_DAYS: '36500',
  });
  await until('no usage is pending', async () => (await due()).length === 0);
  expect(await read(silent!)).toMatchObject({
    prompt_tokens: 8,
    completion_tokens: 2,
    total_cost: '0.00004',
  });
  expect(await usageOf(silent!)).toMatchObject({ estimated: true, model: 'gpt-4o' });
  for (const id of [late, typeless])
    expect(await read(id)).toMatchObject({ total_tokens: 1100, total_cost: '0.0035' });
  expect(await read(failed!)).toMatchObject({ total_tokens: null, total_cost: null });

  // The recomputation was requested while no worker was running.
  const counted = async () => {
    const { rows } = await platform.db.query<{ total_cost: string }>(
      `select total_cost::text from tracing.run where usage ->> 'model' = 'ours-1'`,
    );
    return rows.map(({ total_cost }) => total_cost);
  };
  await until('costs are counted anew', async () => (await counted()).every((cost) => cost === '0.0032'));
  const [{ id }] = (await ask(api.url, 'GET', '/model-price-map')).json;
  expect((await ask(api.url, 'DELETE', `/model-price-map/${id}`)).status).toBe(204);
  expect((await ask(api.url, 'GET', '/model-price-map')).json).toEqual([]);
});
