import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { issueUpload } from '../../src/control-plane/uploads/upload-token.ts';
import { usePlatformHttp } from '../support/use-platform-http.ts';

const platform = usePlatformHttp({ SLIPWAY_RECEIVE_UNKNOWN_SECONDS: '0.2' });
const LATER_MS = 1_000;

/** The status of a request whose body begins at once; its end comes later, if the connection is still there. */
function slowly(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '{}',
): Promise<number> {
  const { hostname, port, host } = new URL(platform.url);
  const head = { host, connection: 'close', 'content-length': String(body.length), ...headers };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    let told = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', body.slice(0, 1)].join('\r\n'));
      setTimeout(() => socket.writable && socket.write(body.slice(1)), LATER_MS);
    });
    socket.on('data', (chunk: Buffer) => (told += chunk.toString()));
    socket.on('close', () => resolve(Number(told.split(' ')[1])));
    socket.on('error', reject);
  });
}

test.each([
  ['POST', '/v2/sign-in'],
  ['POST', `/feedback/tokens/${randomUUID()}`],
])('%s %s, open to everyone, does not wait long for its body', async (method, path) => {
  expect(await slowly(method, path, { 'x-slipway-console': '1' })).toBe(408);
});

test('a body is waited for once it is known who sends it', async () => {
  const key = { 'x-api-key': await platform.key('admin', randomUUID()) };
  expect(await slowly('POST', '/v2/deployments', key)).toBe(422);
  expect(await slowly('POST', '/sessions', key, '{"name":"slow"}')).toBe(200);
});

test('an upload may be slow for the holder of its address', async () => {
  const { token } = issueUpload(platform.deps.box, randomUUID(), Date.now() + 60_000);
  expect(await slowly('PUT', `/v2/uploads/${token}`)).not.toBe(408);
});
