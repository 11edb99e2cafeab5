import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import { packProject } from '../../src/deploy-client/project-archive.ts';
import { inTransaction } from '../../src/platform/db/database.ts';
import { LINK } from '../control-plane/build-setting.ts';
import { GREETER } from '../control-plane/control-plane-fixture.ts';
import { until } from '../support/until.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { expectNothing, tabTo, untilFocused, untilTitle, untilTrue, useBrowser } from './browse.ts';
import { evaluationRows } from './evaluation-rows.ts';
import { gitRows } from './git-rows.ts';
import { playgroundRows } from './playground-rows.ts';
import { settingsRows } from './settings-rows.ts';
import { traceRows } from './trace-rows.ts';

const platform = usePlatform();
let started: PlatformProcess;
beforeAll(async () => {
  // Agents run as other users.
  await chmod(platform.dataDir, 0o711);
  started = await platform.start('platform', {
    SLIPWAY_PUBLIC_URL: '',
    SLIPWAY_DRAIN_SECONDS: '1',
    SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: '127.0.0.1',
  });
});
const browsing = useBrowser(() => started.url);

const FIRST_PAGE_LIMIT = 200 * 1024;

test('redirects to sign-in and back', async () => {
  const { page, check } = browsing;
  const requests: Request[] = [];
  const note = (request: Request) => void requests.push(request);
  page.on('requestfinished', note);
  await page.goto('/deployments?sort=-name');
  const key = page.getByLabel('API key', { exact: true });
  await key.waitFor();
  page.off('requestfinished', note);
  await untilTitle(page, 'Sign in');
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  const sent = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(FIRST_PAGE_LIMIT);
  await key.fill('slp_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('Invalid or revoked API key').waitFor();
  await check('sign-in');
  await key.fill(API_KEY);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Deploy your first agent' }).waitFor();
  expect(page.url()).toBe(`${started.url}/deployments?sort=-name`);
  await untilTitle(page, 'Deployments');
  await check('deployments-empty');
});

test('works by keyboard: the first stop skips to the content, areas are links', async () => {
  const { page, visit } = browsing;
  await visit('/deployments');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await untilFocused(page, `textContent === 'Skip to content'`);
  await page.keyboard.press('Enter');
  await untilFocused(page, `id === 'main'`);
  await page.getByRole('link', { name: 'Crons' }).press('Enter');
  await page.waitForURL('**/crons');
  await page.getByRole('heading', { level: 1, name: 'Crons' }).waitFor();
});

test('hides the areas behind a button on narrow screens', async () => {
  const { page, visit } = browsing;
  await visit('/crons');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Open navigation' }).click();
  const drawer = page.getByRole('dialog', { name: 'Navigation' });
  await drawer.getByRole('button', { name: 'Account' }).click();
  await drawer.getByRole('menuitem', { name: 'Dark' }).waitFor();
  await expectNothing(page);
  // Escape goes to the focused element.
  await untilFocused(page, `closest('[role=menu]') !== null`);
  await page.keyboard.press('Escape');
  await drawer.getByRole('link', { name: 'Store' }).click();
  await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('an unknown page', async () => {
  const { page, visit, check } = browsing;
  await visit('/deployments/none/at/all');
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await check('not-found');
});

let deployment: string;

describe('a deployment', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-console-'));
    for (const [name, content] of Object.entries(GREETER)) await writeFile(join(folder, name), content);
    const { content } = await packProject(folder);
    await writeFile(join(folder, 'agent.tgz'), content);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('is created by a form that shows server-side errors at their fields', async () => {
    const { page, visit, check } = browsing;
    await visit('/deployments');
    await page.getByRole('link', { name: 'New deployment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('no/such/name');
    await page.getByRole('button', { name: 'Create' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await page.getByText('must match pattern').first().waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await check('deployment-form');
    await name.fill('greeter');
    await page.getByText('Upload', { exact: true }).click();
    await page.getByLabel('Install command').fill(LINK);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Archive' }).click(),
    ]);
    await chooser.setFiles(join(folder, 'agent.tgz'));
    await page.getByLabel('Name of the new variable').fill('GREETING');
    await page.getByLabel('Value of GREETING').fill('hello');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/\/deployments\/[\da-f-]{36}$/);
    deployment = page.url().slice(-36);
    const row = page.getByRole('row', { name: /#1/ });
    await row.getByText('Active', { exact: true }).waitFor();
    await check('deployment');
    await untilSaid('hello');
  });

  test("is reachable by the hosted platform's URL and links to a revision with steps and build log", async () => {
    const { page, visit, check } = browsing;
    await visit(`/o/${randomUUID()}/host/deployments/${deployment}`);
    await page.waitForURL(`**/deployments/${deployment}`);
    await page.getByRole('link', { name: '#1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Revision 1' }).waitFor();
    await page.getByRole('list', { name: 'Steps' }).getByText('Building').first().waitFor();
    await page.getByText('upload of agent.tgz').first().waitFor();
    await page.getByRole('tab', { name: 'Build log' }).click();
    const log = page.getByRole('log');
    await log
      .getByText(/install/i)
      .first()
      .waitFor();
    await page.getByLabel('Search Build log').fill('no such line');
    await log.getByText('No matching lines.').waitFor();
    await page.getByLabel('Search Build log').fill('');
    await check('revision');
    expect(page.url()).toContain('log=build');
  });

  test('is updated without revealing secrets, and rolled back', async () => {
    const { page, visit, check } = browsing;
    await visit(`/deployments/${deployment}/edit`);
    await page.getByLabel('Value of GREETING').fill('good day');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name of the new variable').fill('OTHER');
    await page.getByLabel('Value of OTHER').fill('x');
    await check('deployment-edit');
    await page.getByRole('button', { name: 'Save' }).click();
    const second = page.getByRole('row', { name: /#2/ });
    await second.getByText('Active', { exact: true }).waitFor();
    await untilSaid('good day');
    await page.getByRole('link', { name: '#1' }).click();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('heading', { level: 1, name: 'Revision 3' }).waitFor();
    await page.getByText('Active', { exact: true }).waitFor();
    await untilSaid('hello');
  });

  test('a canary runs on a share of threads set by a slider', async () => {
    const { page, visit, check } = browsing;
    await visit(`/deployments/${deployment}`);
    await page.getByRole('button', { name: 'New revision' }).click();
    await page.getByLabel('Reason').fill('a try');
    await page.getByText('Run as a canary for a share of threads').click();
    await check('new-revision');
    await page.getByRole('button', { name: 'Create revision' }).click();
    await page.getByRole('heading', { level: 1, name: 'Revision 4' }).waitFor();
    await page.getByText('a try, by first key').waitFor();
    await visit(`/deployments/${deployment}`);
    const slider = page.getByRole('slider', { name: 'Share of threads' });
    await slider.waitFor();
    await page.getByText('Share of threads: 10 %').waitFor();
    await slider.press('ArrowRight');
    await page.getByRole('button', { name: 'Set share' }).click();
    await expectShare(15);
    await check('traffic');
    await page.getByRole('button', { name: 'Promote' }).click();
    await expectShare(undefined);
    const fourth = page.getByRole('row', { name: /#4/ });
    await fourth.getByText('Active', { exact: true }).waitFor();
  });

  test('interrupts a revision in progress', async () => {
    const { page, visit } = browsing;
    // Stays in progress until it is interrupted.
    await ask(started.url, 'PATCH', path(), { source_config: { build_command: 'sleep 3600' } });
    await visit(`/deployments/${deployment}`);
    await page.getByRole('button', { name: 'New revision' }).click();
    await page.getByRole('button', { name: 'Create revision' }).click();
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Interrupt' }).click();
    await page.getByRole('list', { name: 'Steps' }).getByText('Interrupted', { exact: true }).waitFor();
  });

  test('approves a waiting revision, runs it as a canary and aborts it', async () => {
    const { page, visit } = browsing;
    await ask(started.url, 'PATCH', path(), {
      source_config: { requires_approval: true, build_command: 'true' },
    });
    await visit(`/deployments/${deployment}/edit`);
    expect(await page.getByLabel('Require approval').isChecked()).toBe(true);
    await visit(`/deployments/${deployment}`);
    await page.getByRole('button', { name: 'New revision' }).click();
    await page.getByText('Run as a canary for a share of threads').click();
    await page.getByRole('button', { name: 'Create revision' }).click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'greeter' }).click();
    await page.getByText('Share of threads: 10 %').waitFor();
    await page.getByRole('button', { name: 'Abort' }).click();
    await expectShare(undefined);
  });

  test('the list shows its health', async () => {
    const { page, visit, check } = browsing;
    await visit('/deployments');
    const row = page.getByRole('row', { name: /greeter/ });
    await row.getByText('Serving').waitFor();
    await check('deployments');
    await page.getByLabel('Search deployments by name').fill('nothing');
    await page.getByText('No deployments match').waitFor();
    expect(page.url()).toContain('name=nothing');
  });

  test('supports signing in and reading logs by keyboard, and restores focus after dialogs', async () => {
    const page = await browsing.open();
    await page.goto('/deployments');
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.keyboard.type(API_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'greeter' }).waitFor();
    await tabTo(page, 'greeter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'greeter' }).waitFor();
    await page.getByRole('link', { name: '#1' }).waitFor();
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await untilFocused(page, `textContent === 'Cancel'`);
    await expectNothing(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The dialog returns focus when it closes.
    await untilFocused(page, `textContent === 'Delete'`);
    await tabTo(page, 'Revisions');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('log').getByText('The agent is up').first().waitFor();
    await tabTo(page, 'Lines of Runtime log');
    await page.context().close();
  });

  const path = () => `/v2/deployments/${deployment}`;
  const expectShare = (percent: number | undefined) =>
    until(`the share is ${percent}`, async () => {
      const { json } = await ask(started.url, 'GET', `${path()}/traffic`);
      return json.canaries[0]?.percent === percent;
    });

  /** Waits until the agent answers with that text through the gateway, which learns of new revisions with a delay. */
  const untilSaid = (greeting: string) =>
    until(`it says ${greeting}`, async () => {
      const { json } = await ask(started.url, 'POST', `/d/${deployment}/runs/wait`, {
        assistant_id: 'agent',
        input: {},
      });
      return String(json.said).startsWith(greeting);
    });
});

describe('settings', () => settingsRows(browsing, () => started.url));

describe('git hosts and registries', () =>
  gitRows(
    browsing,
    () => started.url,
    () => platform.db,
  ));

test('deletes a deployment after confirmation', async () => {
  const { page, visit } = browsing;
  await visit(`/deployments/${deployment}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog');
  await question.getByText('permanently deletes').waitFor();
  // Holds a lock so that the deletion stays visible.
  await inTransaction(platform.db, async (tx) => {
    await tx.query('select from control_plane.revision where deployment_id = $1 for key share', [deployment]);
    await question.getByRole('button', { name: 'Delete' }).click();
    const steps = page.getByRole('list', { name: 'Steps of the deletion' });
    await steps.getByText('In progress', { exact: true }).waitFor();
    await untilTrue(page, 'document.getAnimations().length === 0');
    await expectNothing(page);
  });
  await page.getByRole('heading', { name: 'greeter was deleted' }).waitFor();
  expect((await ask(started.url, 'GET', `/v2/deployments/${deployment}`)).status).toBe(404);
  await page.getByRole('link', { name: 'Show deployments' }).click();
  await page.waitForURL('**/deployments');
});

test('signs out', async () => {
  const { page, visit } = browsing;
  await visit('/deployments');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await page.locator(`html[data-mantine-color-scheme='dark']`).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'System' }).click();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Slipway' }).waitFor();
  expect((await page.request.get('/v2/session')).status()).toBe(401);
});

traceRows(browsing, () => ({ url: started.url, apiKey: API_KEY }));

describe('evaluation', () => evaluationRows(browsing, () => ({ url: started.url, apiKey: API_KEY })));

describe('assistants', () => playgroundRows(browsing, () => ({ url: started.url, apiKey: API_KEY })));
