import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { deploy } from '../../src/deploy-client/deploy.ts';
import { PlatformApi } from '../../src/deploy-client/platform-api.ts';
import { packProject } from '../../src/deploy-client/project-archive.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { LINK } from '../control-plane/build-setting.ts';
import type { Browsing } from './browse.ts';

const at = (path: string): string => fileURLToPath(new URL(path, packageRoot));
const MINUTE = 60_000;

/** What people do with the assistants of a deployment; the example agents are deployed for it. */
export function playgroundRows(browsing: Browsing, platform: () => { url: string; apiKey: string }): void {
  let deploymentId: string;

  beforeAll(async () => {
    const { url, apiKey: key } = platform();
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
      archive: await packProject(at('examples')),
      job: undefined,
    };
    const { deployment_id, outcome } = await deploy(new PlatformApi({ url, key }), request, {
      waits: true,
      deadlineMs: 2 * MINUTE,
      followsLogs: false,
      report: () => undefined,
    });
    expect(outcome).toBe('deployed');
    deploymentId = deployment_id;
  }, 3 * MINUTE);

  const open = async (assistant: string): Promise<void> => {
    await browsing.visit(`/playground/${deploymentId}?assistant=${assistant}`);
  };

  test(
    'somebody talks to an assistant: its answer streams in, its tools and steps are told, and it is asked again',
    async () => {
      const { page, visit, check } = browsing;
      await visit('/playground');
      await page.getByRole('link', { name: 'examples' }).click();
      await page.getByLabel('Message', { exact: true }).fill('What is the weather in Lisbon?');
      await page.keyboard.press('Enter');
      const messages = page.getByRole('log', { name: 'Messages' });
      await messages.getByText('Here is what I found').waitFor();
      await messages.getByText('get_weather').waitFor();
      await messages.getByText('Answered').waitFor();
      const steps = page.getByRole('list', { name: 'Steps' });
      await steps.getByText('tools', { exact: true }).waitFor();
      expect(await steps.getByRole('listitem').count()).toBe(3);
      await check('playground-chat');

      await messages.getByRole('button', { name: 'Edit' }).click();
      await messages.getByRole('textbox', { name: 'Message' }).fill('What is the weather in Porto?');
      await messages.getByRole('button', { name: 'Send as a new branch' }).click();
      await messages.getByText('sunny in Porto').first().waitFor();
      await messages.getByText('2 of 2').first().waitFor();
      await messages.getByRole('button', { name: 'Version before' }).first().click();
      await messages.getByText('sunny in Lisbon').first().waitFor();
    },
    2 * MINUTE,
  );

  test(
    'a graph that waits is answered in its place, run again from where it waited, and its state changed',
    async () => {
      const { page, check } = browsing;
      await open('approval');
      await page.getByLabel('Message', { exact: true }).fill('the harbour party');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      const question = page.getByRole('region', { name: 'Question of the graph' });
      await question.getByText('send_email').waitFor();
      await check('playground-interrupt');
      await question.getByRole('button', { name: 'Approve' }).click();
      await page.getByText(/^Sent\. To team/).waitFor();

      await page.getByRole('tab', { name: 'History' }).click();
      const checkpoints = page.getByRole('list', { name: 'Checkpoints' });
      await checkpoints.getByRole('button', { name: 'waits in review' }).click();
      await page.getByRole('button', { name: 'Run from here' }).click();
      await checkpoints.getByText('other branch').first().waitFor();
      await question.getByText('JSON', { exact: true }).click();
      await question.getByRole('textbox', { name: 'Answer' }).fill('{"approved": false}');
      await question.getByRole('button', { name: 'Answer and go on' }).click();
      await page.getByText('Discarded, nothing was sent.').waitFor();

      await checkpoints
        .getByRole('button', { name: /Step \d+ end/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Change the state' }).click();
      await page.getByRole('textbox', { name: 'State' }).fill('{"draft": "Another one."}');
      await page.getByText('Changes draft').waitFor();
      await page.getByRole('button', { name: 'Save as a branch' }).click();
      await checkpoints.getByText('Changed').waitFor();
      await page.getByRole('tab', { name: 'State' }).click();
      await page.getByRole('group', { name: 'State of the thread' }).getByText('"Another one."').waitFor();
    },
    2 * MINUTE,
  );

  test(
    'long work goes on when the page is loaded again, is drawn on the graph, is cancelled, and is a run of a thread',
    async () => {
      const { page, check } = browsing;
      await open('report');
      await page.getByRole('textbox', { name: 'steps' }).fill('many');
      await page.getByText('This is not a number').waitFor();
      await page.getByRole('textbox', { name: 'steps' }).fill('1000');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('write_chapter').nth(1).waitFor();
      await page.reload();
      await page.getByText('write_chapter').nth(1).waitFor();
      await page.getByRole('tab', { name: 'Graph' }).click();
      await page.getByRole('img', { name: /write_chapter, bind/ }).waitFor();
      await check('playground-graph');
      await page.getByRole('button', { name: 'Cancel run' }).click();
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
      await threads.getByText('report').waitFor();
      await threads.getByText('Idle').first().waitFor({ state: 'detached' });
      expect(await threads.getByText('Interrupted').count()).toBeGreaterThan(0);
      await check('threads');
    },
    2 * MINUTE,
  );

  test(
    'a cron is made, paused, run now and deleted',
    async () => {
      const { page, visit, check } = browsing;
      await visit(`/crons?deployment=${deploymentId}`);
      await page.getByRole('heading', { name: 'No crons here yet' }).waitFor();
      await page.getByRole('link', { name: 'New cron' }).first().click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Schedule').fill('0 9 * *');
      await form.getByText('Five fields are needed').waitFor();
      await form.getByLabel('Schedule').fill('30 9 * * 1-5');
      expect(await form.getByRole('list', { name: 'Next times' }).getByRole('listitem').count()).toBe(5);
      await form.getByLabel('Assistant').selectOption('report');
      await form.getByLabel('Input').fill('{"steps": 1, "delay_ms": 1}');
      await check('cron-form');
      await form.getByRole('button', { name: 'Create cron' }).click();
      const row = page.getByRole('row', { name: /30 9/ });
      await row.getByRole('button', { name: 'Pause' }).click();
      await row.getByText('Paused').waitFor();
      await check('crons');
      await row.getByRole('button', { name: 'Run now' }).click();
      await page.getByRole('heading', { level: 1, name: /^Run / }).waitFor();
      await page.getByText('Success').waitFor();
      await page.goBack();
      await row.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'No crons here yet' }).waitFor();
    },
    MINUTE,
  );

  test(
    'what is remembered is written, found by its namespace, changed and deleted',
    async () => {
      const { page, visit, check } = browsing;
      await visit(`/store?deployment=${deploymentId}`);
      await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
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
      await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
    },
    MINUTE,
  );
}
