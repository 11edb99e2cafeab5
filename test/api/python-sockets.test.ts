import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { type ClientOptions, WebSocket } from 'ws';
import { packageRoot } from '../../src/platform/package-root.ts';
import { hostPython } from '../support/python-project.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({
  config: fileURLToPath(new URL('test/fixtures/python-guarded/strict.json', packageRoot)),
  env: { SLIPWAY_PYTHON: await hostPython() },
});
const authorization = 'Bearer alice';

function open(path: string, headers: Record<string, string> = { authorization }, protocols: string[] = []) {
  const options: ClientOptions = { headers };
  const socket = new WebSocket(api.url.replace('http', 'ws') + path, protocols, options);
  const messages: (string | Buffer)[] = [];
  const answered: Record<string, string | string[] | undefined> = {};
  socket.on('message', (data: Buffer, isBinary) => messages.push(isBinary ? data : data.toString()));
  socket.on('upgrade', ({ headers: sent }) => Object.assign(answered, sent));
  const closed = new Promise<[number, string]>((resolve, reject) => {
    socket.once('error', reject).once('close', (code, reason) => resolve([code, reason.toString()]));
  });
  return { socket, messages, closed, answered };
}

async function greeted(...options: Parameters<typeof open>) {
  const talk = open(...options);
  await until('the application greets', () => talk.messages.length > 0);
  return talk;
}

test("clients talk with the application's WebSocket routes", async () => {
  const { socket, messages, closed, answered } = await greeted('/custom/talk', { authorization }, [
    'x',
    'talk',
  ]);
  expect([socket.protocol, answered['x-greeting']]).toEqual(['talk', 'hello']);
  socket.send('hi');
  socket.send(Buffer.from([0, 255]));
  socket.send('bye');
  expect(await closed).toEqual([4001, 'see you']);
  expect(messages).toEqual(['{"hello":"alice","at":"/custom/talk"}', 'HI', Buffer.from([0, 255])]);
});

test('a WebSocket without a credential is refused before the application sees it', async () => {
  expect(await open('/custom/talk', {}).closed).toEqual([4401, 'Unauthorized']);
});

test('a WebSocket that the application refuses, or has no route for, is refused', async () => {
  expect((await open('/custom/talk?refuse=1').closed)[0]).toBe(4403);
  expect((await open('/custom/nothing').closed)[0]).toBe(4403);
  expect((await open('/custom/hello').closed)[0]).toBe(4403);
});

test('a WebSocket whose application fails is closed, and clients may try again', async () => {
  const { socket, closed } = await greeted('/custom/talk');
  socket.send('fail');
  expect((await closed)[0]).toBe(1011);
});

test('an application waits for a client that does not read', async () => {
  const { socket, messages, closed } = await greeted('/custom/talk');
  socket.pause();
  for (let i = 0; i < 5; i++) socket.send('flood');
  socket.send('bye');
  // Other calls are answered meanwhile.
  expect((await api.get('/custom/hello', { authorization })).json).toEqual({ hello: 'alice' });
  socket.resume();
  expect((await closed)[0]).toBe(4001);
  expect(messages.filter((data) => data.length === 100_000)).toHaveLength(500);
});

test('the server keeps its own WebSocket route', async () => {
  const thread = (await api.post('/threads', {}, { authorization })).json.thread_id;
  const { socket, messages, closed } = open(`/threads/${thread}/stream/events`);
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ id: 1, method: 'subscription.subscribe', params: { channels: ['values'] } }));
  await until('it answers', () => messages.length > 0);
  expect(JSON.parse(String(messages[0]))).toMatchObject({ id: 1, type: 'success' });
  socket.close();
  await closed;
});
