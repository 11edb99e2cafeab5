import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ask, usePlatform } from '../support/platform.ts';
import { type Running, startSlipway } from '../support/slipway-command.ts';
import { until } from '../support/until.ts';

const platform = usePlatform();
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-home-'));
});
const started: Running[] = [];
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

const OURS = { 'x-slipway-console': '1' };
const BANNER =
  /\n {2}Slipway is ready\.[^\n]*\n\n {2}Console {3}(\S+)\n {2}API {7}(\S+) [^\n]*\n {2}API key {3}([^\n]+)\n {2}Next {6}([^\n]+)\n\n/;

/** Starts `slipway up` with its own key; returns the lines of its banner. */
async function up(more: Record<string, string> = {}): Promise<{ lines: string[]; running: Running }> {
  const { SLIPWAY_API_KEY: _key, SLIPWAY_PUBLIC_URL: _url, ...env } = platform.env;
  const running = startSlipway(['up'], { ...env, XDG_STATE_HOME: home, ...more });
  started.push(running);
  const { child, output } = running;
  await until('the banner appears', () => BANNER.test(output()) || child.exitCode !== null);
  const lines = BANNER.exec(output())?.slice(1);
  if (!lines) throw new Error(output());
  return { lines, running };
}

async function end({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

/** Runs a client's command in a folder without a key. */
const slipway = (url: string, args: string[]) =>
  startSlipway(args, { SLIPWAY_URL: url, XDG_STATE_HOME: home }, tmpdir()).ended;

test('every start prints where the console, the API and the key are, and a new link that signs in once', async () => {
  const first = await up();
  const [link, url, key, next] = first.lines;
  expect(url).toMatch(/^http:\/\/localhost:\d+$/);
  expect(link).toMatch(new RegExp(`^${url}/sign-in#link=[\\w-]{43}$`));
  expect(key).toBe(`in ${join(platform.dataDir, 'api-key')}`);
  expect(next).toBe('slipway init my-agent (Ctrl+C stops the platform)');
  expect(first.running.output()).not.toMatch(/slp_/);
  const token = link!.split('=')[1];
  const redeem = () => ask(url!, 'POST', '/v2/sign-in/link', { token }, OURS);
  expect(await redeem()).toMatchObject({ status: 200, json: { name: 'first key' } });
  expect((await redeem()).status).toBe(401);
  // Only the banner contains it, not the request log.
  expect(first.running.output().split(token!)).toHaveLength(2);

  // The same user's commands find the key from any folder.
  expect(await slipway(url!, ['delete', '--name', 'none'])).toMatchObject({
    code: 0,
    stderr: 'There is no deployment none\n',
  });
  expect((await stat(join(home, 'slipway/platforms'))).mode & 0o777).toBe(0o700);
  await end(first.running);

  const second = await up();
  expect(second.lines[0]).toMatch(/#link=/);
  expect(second.lines[0]!.split('=')[1]).not.toBe(token);
  expect(second.lines[2]).toBe(key);
  await end(second.running);
});

test('a platform that others reach prints no link, and a key from the settings is not named', async () => {
  const { lines, running } = await up({ HOST: '0.0.0.0', SLIPWAY_API_KEY: 'a-key-of-the-settings' });
  const [console, url, key] = lines;
  expect({ console, key }).toEqual({ console: url, key: 'in SLIPWAY_API_KEY' });
  expect(running.output()).not.toContain('a-key-of-the-settings');
  await end(running);
});

test('commands send the key of this machine to no other', async () => {
  const { code, stderr } = await slipway('http://agents.invalid:8080', ['status']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('SLIPWAY_API_KEY is not set'),
  });
});
