import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { makeSignInLink, requireThisMachine } from '../../src/control-plane/access/sign-in-link.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { sendRaw } from '../support/send-raw.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
const OURS = { 'x-slipway-console': '1' };
const PATH = '/v2/sign-in/link';

const link = async (key: string): Promise<string> => (await makeSignInLink(plane.deps.db, key))!;
const redeem = (token: string, headers: Record<string, string> = OURS) =>
  new Caller(plane.url).post(PATH, { token }, headers);

test('a link signs in as its key, once, and is recorded', async () => {
  const key = await plane.key('admin');
  const token = await link(key);
  const answer = await redeem(token);
  expect(answer).toMatchObject({ status: 200, json: { name: 'a admin', grants: [{ role: 'admin' }] } });
  const [cookie] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^slipway=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/);
  const session = new Caller(plane.url, { cookie: cookie!.split(';')[0]! });
  expect((await session.get('/v2/session')).json).toMatchObject({ role: 'admin', tenant_id: plane.tenant });

  expect(await redeem(token)).toMatchObject({
    status: 401,
    json: { detail: 'This link was used already or has expired' },
  });
  const { resources } = (await session.get('/v2/audit?action=signIn')).json;
  expect(resources).toMatchObject([{ target: `session/${answer.json.id}`, detail: { method: 'link' } }]);
  expect(JSON.stringify(resources)).not.toContain(token);

  const admin = new Caller(plane.url, { 'x-api-key': key });
  const { id } = (await admin.get('/v2/api-keys?limit=1')).json.resources[0];
  await admin.delete(`/v2/api-keys/${id}`);
  expect((await session.get('/v2/session')).status).toBe(401);
});

test('of many who use a link at once, one signs in', async () => {
  const token = await link(await plane.key('viewer'));
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(token)));
  const counted = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  expect([counted(200), counted(401)]).toEqual([1, 7]);
});

test('a link expires after ten minutes, and with its key', async () => {
  const { db } = plane.deps;
  const late = await link(await plane.key('admin'));
  const { rows } = await db.query<{ seconds: number }>(
    `select extract(epoch from max(expires_at) - clock_timestamp())::float8 as seconds
     from control_plane.sign_in_link`,
  );
  expect(rows[0]!.seconds).toBeGreaterThan(540);
  expect(rows[0]!.seconds).toBeLessThanOrEqual(600);
  await db.query(`update control_plane.sign_in_link set expires_at = clock_timestamp()`);
  expect((await redeem(late)).status).toBe(401);

  const key = await plane.key('admin');
  const orphan = await link(key);
  await db.query(`update control_plane.api_key set revoked_at = now() where name = 'a admin'`);
  expect((await redeem(orphan)).status).toBe(401);
  expect(await makeSignInLink(db, key)).toBeUndefined();
});

test('only hashes are stored, and the next link removes those that expired', async () => {
  const { db } = plane.deps;
  const stored = async () =>
    (await db.query<{ hash: Buffer }>('select hash from control_plane.sign_in_link')).rows;
  const key = await plane.key('viewer');
  const token = await link(key);
  expect(
    (await stored()).some(
      ({ hash }) => hash.includes(token) || hash.includes(Buffer.from(token, 'base64url')),
    ),
  ).toBe(false);
  await db.query(
    `update control_plane.sign_in_link set expires_at = clock_timestamp() - interval '1 second'`,
  );
  await link(key);
  expect(await stored()).toHaveLength(1);
});

test('a guess, a scanner, another site and another name for this machine leave a link unused', async () => {
  const token = await link(await plane.key('viewer'));
  const { host, origin } = new URL(plane.url);
  for (const guess of ['A'.repeat(43), `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`])
    expect((await redeem(guess)).status).toBe(401);
  for (const guess of ['', '%', `${token}x`, 'x'.repeat(100_000)])
    expect((await redeem(guess)).status).toBe(422);

  const visitor = new Caller(plane.url);
  for (const path of [`/sign-in?token=${token}`, `${PATH}?token=${token}`]) {
    const { headers } = await visitor.get(path);
    expect(headers.getSetCookie()).toEqual([]);
  }
  const foreign: Record<string, string>[] = [
    {},
    { ...OURS, origin: 'https://evil.example' },
    { ...OURS, origin: 'null' },
    { ...OURS, 'sec-fetch-site': 'cross-site' },
    { ...OURS, 'sec-fetch-site': 'same-site' },
    { ...OURS, origin: 'https://agents.example', 'x-forwarded-host': 'agents.example' },
  ];
  for (const headers of foreign) expect((await redeem(token, headers)).status).toBe(403);
  // A name of another site that resolves to this machine.
  const body = JSON.stringify({ token });
  const rebound = await sendRaw(
    plane.url,
    `POST ${PATH} HTTP/1.1\r\nhost: evil.example\r\norigin: http://evil.example\r\nx-slipway-console: 1\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  expect(rebound).toMatch(/^HTTP\/1.1 403 [^]*This link works only on the machine of the platform/);
  expect((await redeem(token, { ...OURS, origin, host })).status).toBe(200);
});

test.each([
  ['127.0.0.1', 'localhost:8080', true],
  ['::1', '[::1]:8080', true],
  ['::ffff:127.0.0.1', '127.0.0.1', true],
  ['192.0.2.7', 'localhost:8080', false],
  ['127.0.0.1', '192.0.2.7:8080', false],
  ['127.0.0.1', 'localhost.evil.example', false],
  ['127.0.0.1', undefined, false],
  [undefined, 'localhost', false],
])('a connection from %s that asks for %s counts as this machine: %s', (remoteAddress, host, isThis) => {
  const request = { headers: { host }, socket: { remoteAddress } } as unknown as IncomingMessage;
  const check = () => requireThisMachine(request);
  if (isThis) expect(check).not.toThrow();
  else expect(check).toThrow('only on the machine of the platform');
});
