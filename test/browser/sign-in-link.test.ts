import { beforeAll, expect, test } from '@jest/globals';
import { makeSignInLink } from '../../src/control-plane/access/sign-in-link.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { useBrowser } from './browse.ts';

const platform = usePlatform();
let started: PlatformProcess;
beforeAll(async () => {
  started = await platform.start('api', { SLIPWAY_PUBLIC_URL: '' });
});
// As `slipway up` prints it.
const base = () => started.url.replace('127.0.0.1', 'localhost');
const browsing = useBrowser(base);

const link = async (): Promise<string> =>
  `${base()}/sign-in#link=${await makeSignInLink(platform.db, API_KEY)}`;

const USED = /This link was used already or has expired/;

test('a link opens the console signed in, once, and leaves no trace in the history', async () => {
  const address = await link();
  const page = await browsing.open();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(address);
  await page.getByRole('heading', { name: 'Deploy your first agent' }).waitFor();
  expect(page.url()).toBe(`${base()}/deployments`);
  expect(await page.evaluate('history.length')).toBe(2);
  expect(requested.filter((url) => url.includes(address.split('=')[1]!))).toEqual([]);
  await page.context().close();

  const other = await browsing.open();
  await other.goto(address);
  await other.getByRole('alert').getByText(USED).waitFor();
  expect(other.url()).toBe(`${base()}/sign-in`);
  await browsing.check('sign-in-link', other);
  await other.getByLabel('API key', { exact: true }).fill(API_KEY);
  await other.keyboard.press('Enter');
  await other.waitForURL('**/deployments');
  await other.context().close();
});

test('who is signed in already, and a scanner without scripts, leave a link unused', async () => {
  const address = await link();
  expect((await fetch(address)).status).toBe(200);
  const { page, visit } = browsing;
  await visit('/deployments');
  await page.goto(address);
  await page.waitForURL('**/deployments');
  const token = address.split('=')[1];
  const answer = await ask(base(), 'POST', '/v2/sign-in/link', { token }, { 'x-slipway-console': '1' });
  expect(answer.status).toBe(200);
});

test('a page of another site cannot use a link', async () => {
  const address = await link();
  const token = address.split('=')[1];
  const page = await browsing.open();
  // A different site, because browsers distinguish sites by name.
  await page.route('http://evil.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>evil</title>' }),
  );
  await page.goto('http://evil.example/');
  const attempts = await page.evaluate<string[]>(`Promise.all([
    { headers: { 'content-type': 'application/json', 'x-slipway-console': '1' } },
    { headers: { 'content-type': 'text/plain' } },
    { mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
  ].map((how) => fetch('${base()}/v2/sign-in/link', {
    method: 'POST', credentials: 'include', body: ${JSON.stringify(JSON.stringify({ token }))}, ...how,
  }).then(({ type }) => type, () => 'refused')))`);
  // The page could not detect the last one anyway.
  expect(attempts).not.toContain('cors');
  expect(await page.context().cookies(base())).toEqual([]);
  await page.context().close();

  const own = await browsing.open();
  await own.goto(address);
  await own.getByRole('heading', { name: 'Deploy your first agent' }).waitFor();
  await own.context().close();
});
