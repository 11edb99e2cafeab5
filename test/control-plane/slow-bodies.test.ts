import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { issueUpload } from '../../src/control-plane/uploads/upload-token.ts';
import { usePlatformHttp } from '../support/use-platform-http.ts';

const platform = usePlatformHttp({ SLIPWAY_RECEIVE_UNKNOWN_SECONDS: '0.2' });
const LATER_MS = 1_000;

/** The status of a request whose body begins at once and ends later, if the connection is still open. */
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
    let received = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', body.slice(0, 1)].join('\r\n'));
      setTimeout(() => socket.writable && socket.write(body.slice(1)), LATER_MS);
    });
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('close', () => resolve(Number(received.split(' ')[1])));
    socket.on('error', reject);
  });
}

test.each([
  ['POST', '/v2/sign-in'],
  ['POST', `/feedback/tokens/${randomUUID()}`],
])('%s %s, open to everyone, does not wait long for its body', async (method, path) => {
  expect(await slowly(method, path, { 'x-slipway-console': '1' })).toBe(408);
});

test('a body is awaited only after authentication', async () => {
  const key = { 'x-api-key': await platform.key('admin', randomUUID()) };
  expect(await slowly('POST', '/v2/deployments', key)).toBe(422);
  expect(await slowly('POST', '/sessions', key, '{"name":"slow"}')).toBe(200);
});

test.each(['public', 'own_auth'])('a body for a %s agent is waited for only while it comes', async (kind) => {
  const [deployment, revision] = [randomUUID(), randomUUID()];
  const { db } = platform.deps;
  await db.query(
    `insert into control_plane.deployment (id, tenant_id, name, source, access)
     values ($1::uuid, $2, $1::text, 'git_host', $3)`,
    [deployment, randomUUID(), kind === 'public' ? 'public' : 'private'],
  );
  await db.query(
    `insert into control_plane.revision (id, deployment_id, number, source, source_config, source_revision_config,
       environment, reason, own_auth) values ($1, $2, 1, 'git_host', '{}', '{}', '', '', $3)`,
    [revision, deployment, kind === 'own_auth'],
  );
  const agent = createServer((request, response) => request.resume().once('end', () => response.end()));
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const at = (agent.address() as AddressInfo).port;
  await db.query(
    `insert into control_plane.instance (revision_id, replica, deployment_id, host, port, url, state, lease_until)
     values ($1, 0, $2, 'local', $3, $4, 'running', 'infinity')`,
    [revision, deployment, at, `http://127.0.0.1:${at}`],
  );
  await db.query('update control_plane.deployment set active_revision_id = $2 where id = $1', [
    deployment,
    revision,
  ]);
  expect(await slowly('POST', `/d/${deployment}/threads`)).toBe(408);
  agent.close();
});

test('an upload can be slow for the holder of its URL', async () => {
  const { token } = issueUpload(platform.deps.box, randomUUID(), Date.now() + 60_000);
  expect(await slowly('PUT', `/v2/uploads/${token}`)).not.toBe(408);
});
