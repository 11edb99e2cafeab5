import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Route } from 'playwright-core';
import { deploy } from '../../src/deploy-client/deploy.ts';
import { PlatformApi } from '../../src/deploy-client/platform-api.ts';
import { packProject } from '../../src/deploy-client/project-archive.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { LINK } from '../control-plane/build-setting.ts';
import { ask } from '../support/platform.ts';
import { answerOk, useReceiver } from '../support/webhook-receiver.ts';
import { type Browsing, expectCount, expectNothing, tabTo } from './browse.ts';
import { TWO_QUESTIONS } from './two-questions.ts';
import { PATIENCE_MS } from '../support/until.ts';

const at = (path: string): string => fileURLToPath(new URL(path, packageRoot));

/** Tests of a deployment's assistants, with the example agents deployed. */
export function playgroundRows(browsing: Browsing, platform: () => { url: string; apiKey: string }): void {
  let deploymentId: string;
  let project: string;
  const receiver = useReceiver();

  beforeAll(async () => {
    const { url, apiKey: key } = platform();
    project = await mkdtemp(join(tmpdir(), 'slipway-examples-'));
    await cp(at('examples'), project, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
    for (const [name, content] of Object.entries(TWO_QUESTIONS))
      await writeFile(join(project, name), content);
    const { graphs, ...config } = JSON.parse(await readFile(join(project, 'graph.json'), 'utf8'));
    const more = { ...graphs, questions: './src/two-questions.ts:graph' };
    await writeFile(join(project, 'graph.json'), JSON.stringify({ ...config, graphs: more }));
    const request = {
      name: 'examples',
      source: 'internal_source' as const,
      source_config: {
        install_command: `${LINK} && ln -sfn ${at('node_modules/zod')} node_modules/zod`,
        build_command: 'true',
      },
      source_revision_config: {},
      secrets: [],
      reason: undefined,
      is_preview: false,
      archive: await packProject(project),
      job: undefined,
    };
    const { deployment_id, outcome } = await deploy(new PlatformApi({ url, key }), request, {
      waits: true,
      deadlineMs: PATIENCE_MS,
      followsLogs: false,
      report: () => undefined,
    });
    expect(outcome).toBe('deployed');
    deploymentId = deployment_id;
  });
  afterAll(() => rm(project, { recursive: true, force: true }));

  const open = async (assistant: string): Promise<void> => {
    await browsing.visit(`/playground/${deploymentId}?assistant=${assistant}`);
  };

  test('chats with an assistant: streams the answer, shows tools and steps, and reruns a message', async () => {
    const { page, visit, check } = browsing;
    await visit('/playground');
    await page.getByRole('link', { name: 'examples' }).click();
    await page.getByLabel('Message', { exact: true }).fill('What is the weather in Lisbon?');
    await page.keyboard.press('Enter');
    const messages = page.getByRole('log', { name: 'Messages' });
    await messages.getByText('Here is what I found').waitFor();
    await messages.getByText('get_weather').waitFor();
    await messages.getByText('Completed').waitFor();
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByText('tools', { exact: true }).waitFor();
    await expectCount(steps.getByRole('listitem'), 3);
    await check('playground-chat');

    await messages.getByRole('button', { name: 'Edit' }).click();
    await messages.getByRole('textbox', { name: 'Message' }).fill('What is the weather in Porto?');
    await messages.getByRole('button', { name: 'Send as new branch' }).click();
    await messages.getByText('sunny in Porto').first().waitFor();
    await messages.getByText('2 of 2').first().waitFor();
    await messages.getByRole('button', { name: 'Previous version' }).first().click();
    await messages.getByText('sunny in Lisbon').first().waitFor();
  });

  test('renders messages as Markdown or raw text, never as HTML', async () => {
    const { page, check } = browsing;
    await open('agent');
    const question = [
      'It is **well** and `done`, see [here](https://example.com/a) and [there](javascript:alert(1)).',
      '<b onclick="alert(1)">not bold</b>',
      '',
      '1. one',
      '2. two',
      '',
      '```ts',
      'const answer: number = 42; // a line of code that is a good deal longer than a narrow window',
      '```',
      '',
      '| what | how many |',
      '|---|--:|',
      '| apples | 3 |',
    ].join('\n');
    await page.getByLabel('Message', { exact: true }).fill(question);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const answer = page.locator('article[data-role=ai]');
    await answer.getByText('You said: It is').waitFor();
    await answer.locator('strong', { hasText: 'well' }).waitFor();
    await answer.getByRole('group', { name: 'Code in ts' }).getByText('const answer').waitFor();
    await answer.getByRole('cell', { name: 'apples' }).waitFor();
    expect(await answer.locator('b').count()).toBe(0);
    expect(await answer.getByText('<b onclick="alert(1)">not bold</b>').count()).toBe(1);
    const links = answer.getByRole('link');
    expect(await links.count()).toBe(1);
    expect(await links.getAttribute('rel')).toContain('noopener');
    await check('playground-markdown');
    await answer.getByRole('button', { name: 'Raw text' }).click();
    await answer.getByText('| apples | 3 |').waitFor();
  });

  test('answers two interrupts at once', async () => {
    const { page, check } = browsing;
    await open('questions');
    // The history from before the run arrives after its end.
    const slowly = async (route: Route) => {
      const response = await route.fetch();
      await pause(3_000);
      await route.fulfill({ response }).catch(() => {});
    };
    await page.route('**/history', slowly, { times: 1 });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const first = page.getByRole('region', { name: 'Question 1 of 2' });
    const second = page.getByRole('region', { name: 'Question 2 of 2' });
    await first.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('1 of 2 questions answered').waitFor();
    await first.getByRole('button', { name: 'Change' }).click();
    await first.getByRole('button', { name: 'Reject' }).click();
    await check('playground-questions');
    await second.getByRole('textbox', { name: 'Answer' }).fill('ten at most');
    await second.getByRole('button', { name: 'Answer', exact: true }).click();
    await second.waitFor({ state: 'detached' });
    const output = page.getByRole('group', { name: 'Output' });
    await output.getByText('"ten at most"').waitFor();
    await output.getByText('false').waitFor();
    await expectCount(page.getByRole('region', { name: /^Question/ }), 0);
  });

  test('rejects or interrupts by the selected strategy while a run is active', async () => {
    const { page } = browsing;
    await open('report');
    await page.getByRole('textbox', { name: 'steps' }).fill('1000');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('write_chapter').nth(1).waitFor();
    const busy = page.getByRole('combobox', { name: 'If another run is active' });
    await busy.selectOption('reject');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('already running a task').waitFor();
    await busy.selectOption('interrupt');
    await page.getByRole('textbox', { name: 'steps' }).fill('1');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('group', { name: 'Output' }).getByText('report:').waitFor();
    await page.getByRole('link', { name: 'All runs of this thread' }).click();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByRole('row', { name: /Success interrupt/ }).waitFor();
    await runs.getByRole('row', { name: /Interrupted enqueue/ }).waitFor();
    // The rejected run left nothing.
    await expectCount(runs.getByRole('row'), 3);
  });

  test('rolls back or enqueues by the selected strategy while a run is active', async () => {
    const { page } = browsing;
    await open('report');
    const steps = page.getByRole('textbox', { name: 'steps' });
    const run = page.getByRole('button', { name: 'Run', exact: true });
    const busy = page.getByRole('combobox', { name: 'If another run is active' });
    const output = page.getByRole('group', { name: 'Output' });
    await steps.fill('1000');
    await run.click();
    await page.getByText('write_chapter').nth(1).waitFor();
    await busy.selectOption('rollback');
    await steps.fill('1');
    await run.click();
    await output.getByText('report:').waitFor();
    // The server has accepted both: one that runs until it is cancelled, and one waiting for it.
    await busy.selectOption('enqueue');
    for (const count of ['1000', '1']) {
      await steps.fill(count);
      const taken = page.waitForResponse(
        (answer) => answer.request().method() === 'POST' && /\/runs(?:\/stream)?$/.test(answer.url()),
      );
      await run.click();
      expect((await taken).status()).toBe(200);
    }
    await page.getByRole('link', { name: 'All runs of this thread' }).click();
    const runs = page.getByRole('region', { name: 'Runs' });
    const goesOn = runs.getByRole('row', { name: /Running enqueue/ });
    await goesOn.waitFor();
    await runs.getByRole('row', { name: /Pending enqueue/ }).waitFor();
    await runs.getByRole('row', { name: /Success rollback/ }).waitFor();
    await goesOn.getByRole('link').first().click();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await runs.getByRole('row', { name: /Interrupted enqueue/ }).waitFor();
    await runs.getByRole('row', { name: /Success enqueue/ }).waitFor();
    // The rolled-back run left nothing.
    await expectCount(runs.getByRole('row'), 4);
  });

  test('shows a failed webhook on its run and resends it', async () => {
    const { page, visit, check } = browsing;
    receiver.answer = (_one, response) => void response.writeHead(503, { 'retry-after': '1800' }).end();
    const agent = `/d/${deploymentId}`;
    const request = (path: string, body: object) => ask(platform().url, 'POST', `${agent}${path}`, body);
    const { json: thread } = await request('/threads', {});
    const { json: run } = await request(`/threads/${thread.thread_id}/runs`, {
      assistant_id: 'agent',
      input: { messages: [{ role: 'user', content: 'hi' }] },
      webhook: `${receiver.url}/done`,
    });
    await visit(`/threads/${deploymentId}/${thread.thread_id}/runs/${run.run_id}`);
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('HTTP 503').waitFor();
    // From half an hour on, the countdown shows minutes.
    await page.getByText(/^in (?:30|2\d) min/).waitFor();
    await check('run-webhook');
    const sent = receiver.received.length;
    receiver.answer = answerOk;
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Delivered').waitFor();
    await attempts.getByText('HTTP 200').waitFor();
    expect(receiver.received).toHaveLength(sent + 1);
  });

  test('answers an interrupt, reruns from its checkpoint and edits the state', async () => {
    const { page, check } = browsing;
    await open('approval');
    await page.getByLabel('Message', { exact: true }).fill('the harbour party');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const question = page.getByRole('region', { name: 'Question from the graph' });
    await question.getByText('send_email').waitFor();
    await check('playground-interrupt');
    await question.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/^Sent\. To team/).waitFor();

    await page.getByRole('tab', { name: 'History' }).click();
    const checkpoints = page.getByRole('list', { name: 'Checkpoints' });
    await checkpoints.getByRole('button', { name: 'waiting in review' }).click();
    await page.getByRole('button', { name: 'Run from here' }).click();
    await checkpoints.getByText('other branch').first().waitFor();
    await question.getByText('JSON', { exact: true }).click();
    await question.getByRole('textbox', { name: 'Answer' }).fill('{"approved": false}');
    await question.getByRole('button', { name: 'Answer and resume' }).click();
    await page.getByText('Discarded, nothing was sent.').waitFor();

    await checkpoints
      .getByRole('button', { name: /Step \d+ end/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Edit state' }).click();
    await page.getByRole('textbox', { name: 'State' }).fill('{"draft": "Another one."}');
    await page.getByText('Changes draft').waitFor();
    await page.getByRole('button', { name: 'Save as branch' }).click();
    await checkpoints.getByText('Changed').waitFor();
    await page.getByRole('tab', { name: 'State' }).click();
    await page.getByRole('group', { name: 'State of the thread' }).getByText('"Another one."').waitFor();
  });

  test('rejoins a long run after a reload, draws it on the graph, cancels it and lists it', async () => {
    const { page, check } = browsing;
    await open('report');
    await page.getByRole('textbox', { name: 'steps' }).fill('many');
    await page.getByText('Not a number').waitFor();
    await page.getByRole('textbox', { name: 'steps' }).fill('1000');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('write_chapter').nth(1).waitFor();
    await page.reload();
    await page.getByText('write_chapter').nth(1).waitFor();
    await page.getByRole('tab', { name: 'Graph' }).click();
    await page.getByRole('img', { name: /write_chapter, bind/ }).waitFor();
    await check('playground-graph');
    await tabTo(page, 'Cancel run');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Stopped' }).waitFor();

    await page.getByRole('link', { name: 'All runs of this thread' }).click();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByText('Interrupted').waitFor();
    await check('thread');
    await runs.getByRole('link').first().click();
    await page.getByRole('group', { name: 'Arguments of the run' }).waitFor();
    await page.getByRole('region', { name: 'Events' }).getByText('tasks').first().waitFor();
    await check('run');
    await page.getByRole('link', { name: 'Threads and runs' }).click();
    await page.getByLabel('Status').selectOption('interrupted');
    const threads = page.getByRole('region', { name: 'Threads' });
    await threads.getByText('report').first().waitFor();
    await threads.getByText('Idle').first().waitFor({ state: 'detached' });
    await threads.getByText('Interrupted').first().waitFor();
    await check('threads');
  });

  test('shows why a run failed when its thread is opened later', async () => {
    const { page, visit } = browsing;
    const agent = `/d/${deploymentId}`;
    const { json: thread } = await ask(platform().url, 'POST', `${agent}/threads`, {});
    const { json } = await ask(platform().url, 'POST', `${agent}/threads/${thread.thread_id}/runs/wait`, {
      assistant_id: 'report',
      input: { steps: 9, delay_ms: 1 },
      config: { recursion_limit: 3 },
    });
    expect(json.__error__.error).toBe('GraphRecursionError');
    await visit(`/playground/${deploymentId}?assistant=report&thread=${thread.thread_id}`);
    const message = page.getByRole('alert');
    await message.getByText('GraphRecursionError').waitFor();
    await message.getByText('https://docs.langchain.com/').waitFor();
    await expectNothing(page);
  });

  test('creates, pauses, triggers and deletes a cron', async () => {
    const { page, visit, check } = browsing;
    await visit(`/crons?deployment=${deploymentId}`);
    await page.getByRole('heading', { name: 'No crons yet' }).waitFor();
    await page.getByRole('link', { name: 'New cron' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Schedule').fill('0 9 * *');
    await form.getByText('Enter five fields').waitFor();
    await form.getByLabel('Schedule').fill('30 9 * * 1-5');
    await expectCount(form.getByRole('list', { name: 'Next runs' }).getByRole('listitem'), 5);
    await form.getByLabel('Assistant').selectOption('report');
    await form.getByLabel('Input').fill('{"steps": 1, "delay_ms": 1}');
    await check('cron-form');
    await form.getByRole('button', { name: 'Create cron' }).click();
    const row = page.getByRole('row', { name: /30 9/ });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    await check('crons');
    await row.getByRole('link', { name: '30 9 * * 1-5' }).click();
    await page.getByRole('dialog').getByText('Paused. It starts no runs').waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('heading', { level: 1, name: /^Run / }).waitFor();
    await page.getByText('Success', { exact: true }).waitFor();
    await page.goBack();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No crons yet' }).waitFor();
  });

  test('creates store items, finds them by namespace, edits and deletes them', async () => {
    const { page, visit, check } = browsing;
    await visit(`/store?deployment=${deploymentId}`);
    await page.getByRole('heading', { name: 'No items yet' }).waitFor();
    await page.getByRole('link', { name: 'New item' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Namespace').fill('users.ada');
    await form.getByLabel('Key').fill('likes');
    await form.getByRole('textbox', { name: 'Value' }).fill('{"tea": true}');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('navigation', { name: 'Namespaces' }).getByRole('link', { name: 'ada' }).click();
    const items = page.getByRole('region', { name: 'Items' });
    await items.getByText('{"tea":true}').waitFor();
    await check('store');
    await items.getByRole('link', { name: 'likes' }).click();
    await form.getByRole('textbox', { name: 'Value' }).fill('{"tea": false}');
    await form.getByRole('button', { name: 'Save' }).click();
    await items.getByText('{"tea":false}').waitFor();
    await items.getByRole('link', { name: 'likes' }).click();
    await form.getByRole('button', { name: 'Delete item' }).click();
    await page.getByRole('dialog').last().getByRole('button', { name: 'Delete item' }).click();
    await page.getByRole('heading', { name: 'No items yet' }).waitFor();
  });
}
