import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { selectPaths } from '../../src/agent-server/threads/select-paths.ts';
import { sendRaw } from '../support/send-raw.ts';
import { useApi } from '../support/use-api.ts';

const LIMIT = 200_000;
const api = useApi({ env: { SLIPWAY_BODY_LIMIT_BYTES: String(LIMIT) } });

describe('invalid and oversized HTTP gets a regular error', () => {
  const HOST = 'HTTP/1.1\r\nHost: localhost\r\n';
  test.each([
    ['an unknown method', `FOO /threads ${HOST}\r\n`, 400, 'Bad Request'],
    ['a length that is none', `POST /threads ${HOST}content-length: abc\r\n\r\n`, 400, 'Bad Request'],
    ['a host with a space', 'GET /threads HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'Malformed host: a b'],
    ['a port that is none', 'GET /ok HTTP/1.1\r\nHost: a:99999\r\n\r\n', 400, 'Malformed host: a:99999'],
    ['a host with a user', 'GET /ok HTTP/1.1\r\nHost: a@b\r\n\r\n', 400, 'Malformed host: a@b'],
    ['an absolute address that is none', `GET http://[/threads ${HOST}\r\n`, 400, 'Malformed host: ['],
    ['another scheme', `GET x://a/threads ${HOST}\r\n`, 400, 'Malformed path: x://a/threads'],
    ['a path with dots', `GET /threads/../ok ${HOST}\r\n`, 400, 'Malformed path: /threads/../ok'],
    ['a path with escaped dots', `GET /a/%2E./ok ${HOST}\r\n`, 400, 'Malformed path: /a/%2E./ok'],
    ['a path with a backslash', `GET /a\\..\\ok ${HOST}\r\n`, 400, 'Malformed path: /a\\..\\ok'],
    ['TRACE', `TRACE /ok ${HOST}\r\n`, 405, 'Method Not Allowed'],
    ['a control character in a header', `GET /ok ${HOST}x-request-id: a\x01b\r\n\r\n`, 400, 'Bad Request'],
    [
      'two lengths',
      `POST /threads ${HOST}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`,
      400,
      'Bad Request',
    ],
    [
      'a head too large',
      `GET /ok ${HOST}x: ${'a'.repeat(70_000)}\r\n\r\n`,
      431,
      'Request Header Fields Too Large',
    ],
    [
      'a body too large',
      `POST /threads ${HOST}content-length: ${LIMIT + 1}\r\n\r\n`,
      413,
      `Request body exceeds ${LIMIT} bytes`,
    ],
    [
      'a body too large in pieces',
      `POST /threads ${HOST}transfer-encoding: chunked\r\n\r\n40000\r\n${'a'.repeat(0x40000)}\r\n0\r\n\r\n`,
      413,
      `Request body exceeds ${LIMIT} bytes`,
    ],
  ])('%s', async (_, bytes, status, detail) => {
    const answer = await sendRaw(api.url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({ detail });
  });

  test.each([
    ['an absolute address', `GET http://b.example/ok ${HOST}\r\n`],
    ['an empty host', 'GET /ok HTTP/1.1\r\nHost:\r\n\r\n'],
    ['HTTP/1.0 without a host', 'GET /ok HTTP/1.0\r\n\r\n'],
    ['a host of IPv6', 'GET /ok HTTP/1.1\r\nHost: [::1]:2024\r\n\r\n'],
    ['a host with an underscore', 'GET /ok HTTP/1.1\r\nHost: agent_1.localhost:2024\r\n\r\n'],
  ])('%s is answered', async (_, bytes) => {
    expect(await sendRaw(api.url, bytes)).toMatch(/^HTTP\/1\.1 200 .*\{"ok":true\}$/s);
  });

  test('HEAD of a stream ends immediately and keeps the connection', async () => {
    const { json: thread } = await api.post('/threads', {});
    const answer = await sendRaw(
      api.url,
      `HEAD /threads/${thread.thread_id}/stream ${HOST}\r\nGET /ok ${HOST}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*text\/event-stream.*\{"ok":true\}$/s);
  });
});

test.each([
  ['nested deep', `{"metadata":{"a":${'['.repeat(501)}${']'.repeat(501)}}}`],
  ['nested very deep', `{"metadata":{"a":${'['.repeat(90_000)}${']'.repeat(90_000)}}}`],
  ['an id that is a URN', '{"thread_id":"urn:uuid:6ba7b811-9dad-11d1-80b4-00c04fd430c8"}'],
  ['no object', '[]'],
  ['no JSON', '{'],
])('a body %s is refused', async (_, body) => {
  expect(await api.post('/threads', body)).toMatchObject({
    status: 422,
    json: { detail: expect.any(String) },
  });
});

test.each([
  ['/threads/urn:uuid:6ba7b811-9dad-11d1-80b4-00c04fd430c8', 422],
  ['/threads/%00', 422],
  ['/assistants/%00', 404],
  ['/assistants/%E0%A4%A', 404],
  ['/docs/constructor', 404],
  ['/docs/__proto__', 404],
  [`/threads/${randomUUID()}/runs?offset=1e300`, 422],
  [`/threads/${randomUUID()}/history?before=%00`, 422],
  ['/store/items?namespace=a%00b&key=%00', 200],
])('GET %s answers %i', async (path, status) => {
  expect(await api.get(path)).toMatchObject({ status, headers: { get: expect.any(Function) } });
});

test('unpaired surrogates and NUL are stored as U+FFFD, in keys too', async () => {
  const { json } = await api.post(
    '/threads',
    String.raw`{"metadata":{"\u0000k":"\ud800","pair":"\ud83d\ude00"}}`,
  );
  expect(json.metadata).toEqual({ '\uFFFDk': '\uFFFD', pair: '\u{1F600}' });
});

test('a selected path is data whatever its name', () => {
  const state = { values: JSON.parse('{"__proto__": {"polluted": 1}}') };
  expect(JSON.stringify(selectPaths(state, ['values.__proto__.polluted']))).toBe(
    '{"values":{"__proto__":{"polluted":1}}}',
  );
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('a batch with an invalid run creates none', async () => {
  const before = await api.get('/metrics?format=json');
  const later = { assistant_id: 'echo', after_seconds: 600 };
  expect((await api.post('/runs/batch', [later, later, { assistant_id: 'nonesuch' }])).status).toBe(422);
  const after = await api.get('/metrics?format=json');
  expect(after.json.queue.n_pending).toBe(before.json.queue.n_pending);
});
