import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { packageRoot } from '../../src/platform/package-root.ts';
import { hostPython } from '../support/python-project.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';
import { useGateway } from './gateway-fixture.ts';

const agent = useApi({
  config: fileURLToPath(new URL('test/fixtures/python-guarded/strict.json', packageRoot)),
  env: { SLIPWAY_PYTHON: await hostPython() },
});
const platform = useGateway();
const caller = { authorization: 'Bearer alice' };

let talk: string;
beforeAll(async () => {
  const id = await platform.deployment();
  await platform.serve(id, await platform.revision(id, agent.url));
  talk = `${platform.url.replace('http', 'ws')}/d/${id}/custom/talk`;
});

test("a key opens the WebSocket routes of a Python project's application", async () => {
  const socket = new WebSocket(talk, ['talk'], { headers: { ...platform.key, ...caller } });
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  const closed = new Promise((resolve, reject) => {
    socket.once('error', reject).once('close', (code, reason) => resolve([code, reason.toString()]));
  });
  await until('the application greets', () => messages.length > 0);
  expect(socket.protocol).toBe('talk');
  socket.send('hi');
  socket.send('bye');
  expect(await closed).toEqual([4001, 'see you']);
  expect(messages).toEqual([expect.stringContaining('"hello":"alice"'), 'HI']);
});

// With the caller's own credential, which the application would accept.
test.each([
  ['no key', {}],
  ['a wrong key', { 'x-api-key': 'wrong' }],
])('%s does not open them', async (_, key) => {
  const socket = new WebSocket(talk, { headers: { ...key, ...caller } });
  const answered = new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    socket.once('open', () => reject(new Error('it has opened')));
    socket.on('error', () => {});
  });
  expect(await answered).toBe(401);
  socket.terminate();
});
