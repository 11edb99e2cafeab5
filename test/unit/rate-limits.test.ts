import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { InvalidSetting, readSettings } from '../../src/platform/settings.ts';
import { canonicalPath } from '../../src/tracing/request/canonical-path.ts';
import { clientAddress, clientFinder } from '../../src/tracing/rate-limits/client-address.ts';
import { credentialOf } from '../../src/tracing/rate-limits/identity.ts';
import { LIMIT_ROWS } from '../../src/tracing/rate-limits/limit-rows.ts';
import { limitsOf } from '../../src/tracing/rate-limits/limits.ts';
import { matchRow } from '../../src/tracing/rate-limits/match-row.ts';
import { TracingSettings } from '../../src/tracing/tracing-settings.ts';

const limits = (env: Record<string, string>) => limitsOf(readSettings(TracingSettings, env));
const us = limits({ SLIPWAY_RATE_LIMITS: 'hosted' });
const eu = limits({ SLIPWAY_RATE_LIMITS: 'hosted', SLIPWAY_REGION: 'eu' });
const ID = '3f0e1c9a-7d5b-4c3a-9e2f-1a2b3c4d5e6f';

// [request, caller, US, EU if different]
const cases: [string, 'key' | 'user' | undefined, string, string?][] = [
  ['POST /runs/query', 'key', '15/10'],
  ['POST /api/v1/runs/query', 'key', '15/10'],
  ['POST /runs/query/', 'key', '15/10'],
  ['POST /runs/query', 'user', '300/10'],
  ['POST /runs/query', undefined, '100/60'],
  ['POST /runs/stats', 'key', '1/10', '20/10'],
  ['GET /runs/stats', 'key', '1/10', '20/10'],
  ['POST /runs/stats', 'user', '1000/10'],
  ['POST /runs', 'key', '2000/10'],
  ['POST /runs', 'user', '1000/10'],
  ['POST /runs/batch', 'key', '2000/10'],
  ['POST /runs/multipart', 'key', '6000/10'],
  ['POST /otel/v1/traces', 'key', '2000/10'],
  ['POST /otel/v1/logs', 'key', '2000/10'],
  ['POST /otel/v1/metrics', 'key', '2000/10'],
  ['POST /otel/v1/traces', undefined, '100/60'],
  [`PATCH /runs/${ID}`, 'key', '2000/10'],
  [`PATCH /annotation-queues/${ID}/runs/${ID}`, 'key', '2000/10'],
  [`GET /runs/${ID}`, 'key', '30/60'],
  [`GET /api/v1/runs/${ID}`, 'key', '30/60'],
  [`GET /runs/${ID}/share`, 'key', '1000/10'],
  [`GET /runs/${ID}`, 'user', '1000/10'],
  [`GET /public/${ID}/runs`, undefined, '100/60'],
  ['GET /public/download', 'key', '5000/60'],
  ['GET /public/download/x', undefined, '5000/60'],
  [`GET /datasets/${ID}/examples`, 'key', '5000/60'],
  ['GET /examples', 'key', '5000/60'],
  [`POST /v1/platform/datasets/${ID}/examples`, 'key', '1000/10'],
  [`DELETE /sessions/${ID}`, 'key', '10/60'],
  [`DELETE /sessions/${ID}`, 'user', '30/60'],
  [`GET /sessions/${ID}`, 'key', '1000/10'],
  ['POST /x/trigger', 'key', '10/60'],
  ['POST /x/trigger', 'user', '30/60'],
  ['POST /feedback', 'key', '2000/10'],
  ['POST /feedback/tokens', 'key', '1000/10'],
  ['POST /charts/create', 'user', '750/600'],
  ['POST /charts', 'key', '750/600'],
  ['GET /charts', 'user', '1000/10'],
  ['OPTIONS /runs/query', 'key', '2000/10'],
  ['GET /info', 'key', '2000/10'],
  ['POST /v1/metadata/submit', undefined, '2000/10'],
  ['POST /api/v1/metadata/submit', undefined, '2000/10'],
  ['POST /v1/beacon', 'key', '2000/10'],
  ['GET /auth', 'key', '2000/10'],
  ['GET /auth', 'user', '2000/10'],
  ['GET /repos/-/greet', 'key', '100/60'],
  ['GET /reposx', 'key', '1000/10'],
  ['GET /commits/-/greet/latest', 'key', '10000/60', '2000/60'],
  ['POST /commits/-/greet', 'user', '10000/60', '2000/60'],
  ['POST /generate', 'key', '30/3600'],
];

test.each(cases)('%s by %s: %s', (request, who, inUs, inEu = inUs) => {
  const [method = '', path = ''] = request.split(' ');
  const row = matchRow(method, canonicalPath(path), who);
  const counted = [us, eu].map((of) => `${of.get(row.id)!.count}/${of.get(row.id)!.interval}`);
  expect(counted).toEqual([inUs, inEu]);
});

test('the table has the 29 rows of the seed, each under a name of its own; every one of them can be met', () => {
  expect(new Set(LIMIT_ROWS.map(({ id }) => id)).size).toBe(29);
  const met = new Set(
    cases.map(([request, who]) => {
      const [method = '', path = ''] = request.split(' ');
      return matchRow(method, canonicalPath(path), who).id;
    }),
  );
  const more = [matchRow('GET', '/repos', 'user').id, matchRow('POST', '/generate', 'user').id];
  expect(LIMIT_ROWS.map(({ id }) => id).filter((id) => !met.has(id) && !more.includes(id))).toEqual([]);
});

test('limits are configurable by profile and row, but runs never wait longer than clients do', () => {
  expect(limits({}).get('query-key')).toEqual({ count: 15_000, interval: 10 });
  expect(limits({ SLIPWAY_RATE_LIMITS: 'off' }).size).toBe(0);
  const own = { SLIPWAY_RATE_LIMITS: 'hosted', SLIPWAY_RATE_LIMIT_OVERRIDES: '{"run": "5/2", "key": "off"}' };
  expect(limits(own).get('run')).toEqual({ count: 5, interval: 2 });
  expect(limits(own).has('key')).toBe(false);
  for (const wrong of ['{"nope": "1/1"}', '{"run": "1"}', '[]', 'x', '{"multipart": "6000/60"}'])
    expect(() => limits({ SLIPWAY_RATE_LIMIT_OVERRIDES: wrong })).toThrow(InvalidSetting);
});

test('only trusted proxies can set the client address', () => {
  const from = (remoteAddress: string, forwarded?: string) =>
    ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;
  expect(clientAddress(undefined)(from('::ffff:192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
  const behind = clientAddress('10.0.0.0/8, fd00::/8');
  expect(behind(from('10.1.2.3', '203.0.113.9, 198.51.100.7, 10.9.9.9'))).toBe('198.51.100.7');
  expect(behind(from('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
  expect(behind(from('10.1.2.3', 'nonsense'))).toBe('10.1.2.3');
  expect(behind(from('10.1.2.3'))).toBe('10.1.2.3');
  expect(behind(from('fd00::1', '2001:db8:0:1:aaaa::1'))).toBe('2001:db8:0:1::/64');
  expect(behind(from('2001:0db8::1'))).toBe('2001:db8:0:0::/64');
  expect(() => clientAddress('10.0.0.0/99')).toThrow(InvalidSetting);
});

const STRANGER = { address: '192.0.2.1', isTrusted: false };
const asked = (headers: Record<string, string>) => ({ socket: {}, headers }) as unknown as IncomingMessage;

test('cookies that authenticate nothing do not give a session another limit', () => {
  const digestOf = (cookie: string, headers = {}) =>
    credentialOf(asked({ cookie, ...headers }), STRANGER)?.digest;
  const tls = { 'x-forwarded-proto': 'https' };
  const [plain, secure] = [digestOf('slipway=s'), digestOf('__Host-slipway=s', tls)];
  expect(plain).toEqual(expect.any(String));
  expect(digestOf('__Host-slipway=other; slipway=s')).toBe(plain);
  expect(digestOf('slipway =s; slipway=other')).toBe(plain);
  expect(digestOf('slipway=other; __Host-slipway=s', tls)).toBe(secure);
});

test.each([
  ['a key', { 'x-api-key': 'k' }, 'key'],
  ['a key as a bearer token', { authorization: 'Bearer slp_k' }, 'key'],
  ['a key, whatever user a stranger names', { 'x-api-key': 'k', 'x-user-id': 'ada' }, 'key'],
  ['a token of the identity provider', { authorization: 'Bearer eyJhbGciOi.eyJzdWIi.c2ln' }, 'user'],
  ['a session of the console', { cookie: 'a=1; slipway=secret' }, 'user'],
  [
    'a session of the console over TLS',
    { cookie: 'a=1; __Host-slipway=secret', 'x-forwarded-proto': 'https' },
    'user',
  ],
  ['a user that a stranger names', { 'x-user-id': 'ada' }, undefined],
  ['nothing', {}, undefined],
])('%s counts as what it stands for', (_, headers, kind) => {
  expect(credentialOf(asked(headers), STRANGER)?.kind).toBe(kind);
});

test('only a trusted caller can name users, not clients of a trusted proxy', () => {
  const find = clientFinder('10.0.0.0/8');
  const from = (remoteAddress: string, forwarded?: string) =>
    find({
      socket: { remoteAddress },
      headers: { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage);
  const headers = { 'x-api-key': 'k', 'x-user-id': 'ada' };
  expect(credentialOf(asked(headers), from('10.1.2.3'))?.kind).toBe('user');
  expect(credentialOf(asked(headers), from('10.1.2.3', '10.9.9.9'))?.kind).toBe('user');
  expect(credentialOf(asked(headers), from('10.1.2.3', '203.0.113.9'))?.kind).toBe('key');
  expect(credentialOf(asked(headers), from('203.0.113.9', '10.1.2.3'))?.kind).toBe('key');
  expect(credentialOf(asked(headers), from('10.1.2.3'))?.digest).not.toBe(
    credentialOf(asked({ ...headers, 'x-user-id': 'bob' }), from('10.1.2.3'))?.digest,
  );
});
