import { chmod } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { API_KEY, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { useBrowser } from './browse.ts';

const platform = usePlatform();
let started: PlatformProcess;
beforeAll(async () => {
  // Agents run as other users.
  await chmod(platform.dataDir, 0o711);
  started = await platform.start('platform', { SLIPWAY_PUBLIC_URL: '' });
}, 60_000);
const browsing = useBrowser(() => started.url);

const FIRST_PAGE_LIMIT = 200 * 1024;

test('an address leads to signing in, and signing in leads back to it', async () => {
  const { page, check } = browsing;
  let sent = 0;
  page.on('requestfinished', async (request) => {
    sent += (await request.sizes()).responseBodySize;
  });
  await page.goto('/deployments?sort=-name');
  const key = page.getByLabel('API key', { exact: true });
  await key.waitFor();
  expect(await page.title()).toBe('Sign in · Slipway');
  expect(sent).toBeLessThan(FIRST_PAGE_LIMIT);
  await key.fill('slp_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('No key is like this').waitFor();
  await check('sign-in');
  await key.fill(API_KEY);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Deploy your first agent' }).waitFor();
  expect(page.url()).toBe(`${started.url}/deployments?sort=-name`);
  expect(await page.title()).toBe('Deployments · Slipway');
  await check('deployments-empty');
});

test('it is used by keyboard: the first stop skips to the page, areas are links', async () => {
  const { page, visit } = browsing;
  await visit('/deployments');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('link', { name: 'Crons' }).press('Enter');
  await page.waitForURL('**/crons');
  await page.getByRole('heading', { level: 1, name: 'Crons' }).waitFor();
});

test('on a narrow window the areas are behind a button', async () => {
  const { page, visit } = browsing;
  await visit('/crons');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Open navigation' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Store' }).click();
  await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('the field’s address of a deployment, and one that is none', async () => {
  const { page, visit, check } = browsing;
  await visit('/deployments/none/at/all');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await check('not-found');
});

test('somebody signs out, and is out', async () => {
  const { page, visit } = browsing;
  await visit('/deployments');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'As the system' }).click();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Slipway' }).waitFor();
  expect((await page.request.get('/v2/session')).status()).toBe(401);
});
