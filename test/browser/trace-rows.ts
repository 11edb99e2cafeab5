import { expect, test } from '@jest/globals';
import { Client, RunTree } from 'langsmith';
import { uuid7 } from '../../src/platform/ids.ts';
import { type Browsing, expectCount, tabTo, untilTrue } from './browse.ts';
import { until } from '../support/until.ts';

const SPANS = 5_000;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const [MINUTE, SECOND] = [60_000, 1_000];

/** Tests of traces on a platform whose first key is `apiKey`. */
export function traceRows(browsing: Browsing, platform: () => { url: string; apiKey: string }): void {
  let client: Client;

  test('guides to the first trace', async () => {
    const { page, visit, check } = browsing;
    await visit('/dashboards');
    await page.getByRole('heading', { name: 'No traces yet' }).waitFor();
    await visit('/traces');
    await page.getByRole('heading', { name: 'No traces yet' }).waitFor();
    expect(await page.getByLabel('Command', { exact: true }).textContent()).toContain(platform().url);
    await check('traces-empty');
  });

  test('finds traces of a real client by project and filter, with paging and live updates', async () => {
    const { page, visit, check } = browsing;
    const { url, apiKey } = platform();
    client = new Client({ apiUrl: url, apiKey });
    for (let order = 0; order < 60; order++) await sendTrace(client, order);
    await untilLogged(client, 'support-agent', 180);
    await visit('/traces');
    await page.getByRole('link', { name: 'support-agent' }).click();
    const table = page.getByRole('region', { name: 'Runs of support-agent' });
    const rows = table.locator('tbody tr[data-leads]');
    await expectCount(rows, 50);
    await page.getByText('$', { exact: false }).first().waitFor();
    await check('traces');
    await page.getByRole('button', { name: 'Older' }).click();
    await expectCount(rows, 10);
    await page.goBack();
    await expectCount(rows, 50);

    const box = page.getByLabel('Filter', { exact: true });
    await box.fill('eq(status, ');
    await box.press('Enter');
    await page.getByText('Invalid filter at character').waitFor();
    await box.fill('search("order 17")');
    await box.press('Enter');
    await expectCount(rows, 1);
    expect(new URL(page.url()).searchParams.get('filter')).toBe('search("order 17")');
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByRole('button', { name: 'Errors' }).click();
    await expectCount(rows, 6);
    await page.getByText('the warehouse did not answer').first().waitFor();

    await visit(`${new URL(page.url()).pathname}?live=1&filter=${encodeURIComponent('has(tags, "late")')}`);
    await page.getByRole('heading', { name: 'No matching runs' }).waitFor();
    await sendTrace(client, 60, ['late']);
    await expectCount(rows, 1);
    await untilLogged(client, 'support-agent', 183);
  });

  test('shows messages and cost of a trace, adds feedback, shares it and adds it to a dataset', async () => {
    const { page, open, check } = browsing;
    await page.getByRole('link', { name: 'support-agent' }).last().click();
    const tree = page.getByRole('tree', { name: 'Runs of the trace' });
    await expectCount(tree.getByRole('treeitem'), 3);
    await tabTo(page, 'Runs of the trace');
    await page.keyboard.press('ArrowDown');
    const panel = page.getByRole('region', { name: 'Selected run' });
    await panel.getByRole('heading', { level: 2, name: 'ChatModel' }).waitFor();
    await page.waitForURL(/run=/);
    // The result appears with its call rather than as a separate message.
    await panel.getByText('Calls find_order').waitFor();
    await panel.getByText('"DHL"').waitFor();
    expect(await panel.getByRole('article', { name: 'Tool result' }).count()).toBe(0);
    await panel.getByRole('img', { name: 'image of the message' }).waitFor();
    await panel.locator('strong', { hasText: 'on its way' }).waitFor();
    await check('trace');
    await panel.getByRole('tab', { name: 'Usage' }).click();
    await panel.getByRole('row', { name: /cache read 800/ }).waitFor();
    await panel.getByRole('row', { name: /Total 1,440 \$0\.00/ }).waitFor();

    await panel.getByRole('tab', { name: 'Feedback' }).click();
    await panel.getByLabel('Comment').fill('Quick and right');
    await panel.getByRole('button', { name: 'Add feedback' }).click();
    await panel.getByRole('row', { name: /user_score 1 Quick and right/ }).waitFor();

    await panel.getByRole('button', { name: 'Add to dataset' }).click();
    await page.getByLabel('Name of the new dataset').fill('orders');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Added to the dataset.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    const examples = [];
    for await (const example of client.listExamples({ datasetName: 'orders' })) examples.push(example);
    expect(examples).toMatchObject([{ inputs: { messages: expect.any(Array) } }]);

    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    const stranger = await open();
    await stranger.goto(link);
    await stranger.getByRole('treeitem', { name: /find_order/ }).click();
    await stranger.getByRole('heading', { level: 2, name: 'find_order' }).waitFor();
    await stranger.context().close();
    await page.keyboard.press('Escape');
  });

  test('sets the retention of a project', async () => {
    const { page, visit, check } = browsing;
    const path = page.url();
    await visit('/workspace/retention');
    const choice = page.getByLabel('Retention of support-agent');
    await choice.getByText('400 days (default)').waitFor({ state: 'attached' });
    await choice.selectOption({ label: '30 days' });
    await until('it is kept', async () => {
      const project = await client.readProject({ projectName: 'support-agent' });
      return 'retention_days' in project && project.retention_days === 30;
    });
    await check('settings-retention-projects');
    await page.reload();
    await choice.waitFor();
    expect(await choice.inputValue()).toBe('30');
    await page.goto(path);
  });

  test('compares two runs by key', async () => {
    const { page, check } = browsing;
    await page.getByRole('link', { name: 'Compare' }).click();
    const other = page.getByLabel('Compare with another run of ChatModel');
    await other.locator('option').nth(2).waitFor({ state: 'attached' });
    await other.selectOption({ index: 2 });
    const inputs = page.getByRole('region', { name: 'Inputs' });
    await inputs.getByText('differ', { exact: false }).first().waitFor();
    expect(await inputs.locator('mark').first().textContent()).toMatch(/\d/);
    await check('compare');
  });

  test(`a trace of ${SPANS} runs is navigated by keyboard without rendering all rows`, async () => {
    const { page, visit } = browsing;
    const id = await sendLargeTrace(client);
    await visit(`/traces/runs/${id}`);
    const tree = page.getByRole('tree', { name: 'Runs of the trace' });
    await page.getByText('5,000 runs').waitFor();
    await tree.focus();
    const walk = async (): Promise<number> => {
      const began = Date.now();
      await page.keyboard.press('End');
      await tree.getByRole('treeitem', { name: /step 499\.8/ }).waitFor();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowLeft');
      await expectCount(tree.getByRole('treeitem'), 1);
      await page.keyboard.press('ArrowRight');
      await tree.getByRole('treeitem', { name: /step 0\.1/ }).waitFor();
      return Date.now() - began;
    };
    // Measures three redraws of the tree; retries because other load slows them down.
    await until('it is walked through in 3 s', async () => (await walk()) < 3 * SECOND);
    expect(await tree.getByRole('treeitem').count()).toBeLessThan(80);
    await page.getByLabel('Search runs of this trace').fill('error');
    await page.getByText('3 of 5,000 runs').waitFor();
  });

  test('a key pressed during a URL update wins over the update', async () => {
    const { page } = browsing;
    const tree = page.getByRole('tree', { name: 'Runs of the trace' });
    await page.getByLabel('Search runs of this trace').fill('');
    await page.evaluate(`(() => {
      const { replaceState } = history;
      history.replaceState = (...given) => {
        history.replaceState = replaceState;
        const tree = document.querySelector('[role=tree]');
        window.isPressed = tree.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
        return history.replaceState(...given);
      };
    })()`);
    await tree.press('End');
    await untilTrue(page, `window.isPressed === true && !location.search.includes('run=')`);
    await page
      .getByRole('region', { name: 'Selected run' })
      .getByRole('heading', { name: 'large' })
      .waitFor();
  });

  test('shows dashboards as charts and tables', async () => {
    const { page, visit, check } = browsing;
    await visit('/dashboards?range=6h');
    const tokens = page.getByRole('region', { name: 'Tokens by model' });
    await tokens.getByText('gpt-4o').waitFor();
    await tokens.locator('canvas').waitFor();
    await tokens.getByText('Table').click();
    await tokens.getByRole('columnheader', { name: 'gpt-4o' }).waitFor();
    await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'support-agent' });
    await page.getByRole('region', { name: 'Traces' }).getByText('61').waitFor();
    await page.getByRole('region', { name: 'Latency', exact: true }).getByText('p95').waitFor();
    await page.getByText('Tag', { exact: true }).click();
    await page.getByRole('region', { name: 'Cost by tag' }).getByText('late').waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ range: '6h', by: 'tag' });
    await check('dashboards');
  });
}

/** Flushes the client and waits until the project has that many runs, all ended. */
async function untilLogged(client: Client, projectName: string, count: number): Promise<void> {
  await client.awaitPendingTraceBatches();
  await until(`${count} runs of ${projectName} have ended`, async () => {
    let ended = 0;
    try {
      for await (const { end_time } of client.listRuns({ projectName })) if (end_time) ended++;
    } catch {
      // The project does not exist before the first run.
    }
    return ended === count;
  });
}

/** An agent that calls a model, which calls a tool. Every tenth fails. */
async function sendTrace(client: Client, order: number, tags = ['production']): Promise<void> {
  const start = Date.now() - (order + 1) * MINUTE;
  const error = order % 10 === 9 ? 'TimeoutError: the warehouse did not answer' : undefined;
  const question = `Where is order ${order}?`;
  const root = new RunTree({
    client,
    name: 'support-agent',
    project_name: 'support-agent',
    start_time: start,
    tags,
    inputs: { messages: [{ role: 'user', content: question }] },
  });
  await root.postRun();
  const call = { name: 'find_order', arguments: JSON.stringify({ order }) };
  const model = root.createChild({
    name: 'ChatModel',
    run_type: 'llm',
    start_time: start + 40,
    extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o' } },
    inputs: {
      messages: [
        { role: 'system', content: 'You help with orders.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: question },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
        { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"carrier":"DHL"}' },
      ],
    },
  });
  await model.postRun();
  const usage_metadata = {
    input_tokens: 1_200,
    output_tokens: 240,
    total_tokens: 1_440,
    input_token_details: { cache_read: 800 },
  };
  const answer = { role: 'assistant', content: `Order ${order} is **on its way**.` };
  await model.end({ choices: [{ message: answer }], usage_metadata }, undefined, start + 900);
  await model.patchRun();
  const tool = root.createChild({
    name: 'find_order',
    run_type: 'tool',
    start_time: start + 950,
    inputs: { order },
  });
  await tool.postRun();
  await tool.end(error ? undefined : { carrier: 'DHL' }, error, start + 1_100);
  await tool.patchRun();
  await root.end(error ? undefined : { messages: [answer] }, error, start + 1_200 + order);
  await root.patchRun();
}

/** 500 steps of nine runs each, with one failure per step, sent as a batch. */
async function sendLargeTrace(client: Client): Promise<string> {
  const begin = Date.now() - MINUTE;
  const root = runOf({ id: uuid7(), name: 'large', begin, milliseconds: MINUTE });
  const runs = [root];
  for (let step = 0; runs.length < SPANS; step++) {
    const at = begin + step * 100;
    const chain = runOf({ id: uuid7(), name: `step ${step}.0`, begin: at, milliseconds: 99, parent: root });
    runs.push(chain);
    for (let part = 1; part < 10 && runs.length < SPANS; part++) {
      const error = step === 250 && part === 5 ? 'RateLimitError' : undefined;
      const place = { name: `step ${step}.${part}`, begin: at + part * 10, milliseconds: 8, parent: chain };
      runs.push(runOf({ id: uuid7(), ...place, error }));
    }
  }
  await client.batchIngestRuns({ runCreates: runs });
  return root.id;
}

interface LargeRun {
  id: string;
  name: string;
  run_type: string;
  trace_id: string;
  dotted_order: string;
  inputs: object;
  parent_run_id?: string;
}

interface LargeRunMade {
  id: string;
  name: string;
  begin: number;
  milliseconds: number;
  parent?: LargeRun;
  error?: string | undefined;
}

function runOf({ id, name, begin, milliseconds, parent, error }: LargeRunMade): LargeRun {
  const start_time = new Date(begin).toISOString();
  const own = `${start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`;
  const place = {
    trace_id: parent?.trace_id ?? id,
    dotted_order: parent ? `${parent.dotted_order}.${own}` : own,
    ...(parent && { parent_run_id: parent.id }),
  };
  const times = { start_time, end_time: begin + milliseconds };
  const run_type = parent?.parent_run_id ? 'tool' : 'chain';
  const bodies = { inputs: {}, outputs: {}, ...(error && { error }) };
  return { id, name, run_type, ...place, ...times, ...bodies, session_name: 'large' } as LargeRun;
}
