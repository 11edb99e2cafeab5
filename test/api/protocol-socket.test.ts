import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';
import { type Event, isRootEnd, newThread } from './protocol-client.ts';

// A socket is closed if its client is silent for three of these.
const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '120' } });

interface Socket {
  events: Event[];
  closed: Promise<number>;
  send(text: string): void;
  ask(method: string, params?: object): Promise<any>;
  until(matches: (event: Event) => boolean): Promise<Event>;
  errors: any[];
  close(): void;
}

async function open(thread: string): Promise<Socket> {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/threads/${thread}/stream/events`);
  const events: Event[] = [];
  const errors: any[] = [];
  const answers = new Map<number, (answer: any) => void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString());
    if (message.type === 'event') events.push(message as Event);
    else if (message.id === null) errors.push(message);
    else answers.get(message.id as number)?.(message);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let id = 0;
  return {
    events,
    errors,
    closed,
    send: (text) => socket.send(text),
    ask: (method, params) =>
      new Promise((resolve) => {
        answers.set(++id, resolve);
        socket.send(JSON.stringify({ id, method, params }));
      }),
    async until(matches) {
      await until('the event comes', () => events.some(matches));
      return events.find(matches)!;
    },
    close: () => socket.close(),
  };
}

test('commands, responses and events share a socket; a subscription can be ended', async () => {
  const thread = newThread();
  const socket = await open(thread);
  const { result } = await socket.ask('subscription.subscribe', { channels: ['lifecycle', 'custom'] });
  expect(result).toEqual({ subscription_id: expect.any(String), replayed_events: 0 });
  const overlapping = await socket.ask('subscription.subscribe', { channels: ['lifecycle'] });
  const started = await socket.ask('run.start', { assistant_id: 'tokens', input: { events: 3 } });
  expect(started).toMatchObject({ type: 'success', result: { run_id: expect.any(String) } });
  await socket.until(isRootEnd);
  const ids = socket.events.map(({ event_id }) => event_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(5);
  for (const { subscription_id } of [result, overlapping.result])
    expect(await socket.ask('subscription.unsubscribe', { subscription_id })).toMatchObject({ result: {} });
  expect(await socket.ask('subscription.unsubscribe', result as object)).toMatchObject({
    error: 'no_such_subscription',
  });
  const again = await socket.ask('subscription.subscribe', { channels: ['custom'] });
  expect(again.result.replayed_events).toBe(3);
  const rest = await socket.ask('subscription.reconnect', {
    channels: ['lifecycle', 'custom'],
    since: socket.events[2]!.seq,
  });
  expect(rest.result.replayed_events).toBe(2);
  socket.close();
  expect(await socket.closed).toBe(1005);
});

test('an invalid message gets an error and keeps the connection', async () => {
  const socket = await open(newThread());
  for (const text of ['{', '[]', '{"id":"a","method":"x"}']) socket.send(text);
  expect(await socket.ask('agent.getTree')).toMatchObject({ error: 'no_such_run' });
  expect(socket.errors).toEqual(
    [1, 2, 3].map(() => ({
      type: 'error',
      id: null,
      error: 'invalid_argument',
      message: expect.any(String),
    })),
  );
  socket.close();
});

test('an HTTP error closes the socket with the status plus 4000', async () => {
  const socket = await open('nothing');
  expect(await socket.closed).toBe(4422);
  const elsewhere = new WebSocket(`${api.url.replace('http', 'ws')}/nowhere`);
  const code = await new Promise((resolve) => elsewhere.once('close', resolve));
  expect(code).toBe(4404);
});

test('a subscription from before the retained events gets an error', async () => {
  const thread = newThread();
  const socket = await open(thread);
  await socket.ask('subscription.subscribe', { channels: ['lifecycle'] });
  const { result } = await socket.ask('run.start', { assistant_id: 'steps', input: { steps: 1 } });
  await socket.until(isRootEnd);
  await api.delete(`/threads/${thread}/runs/${result.run_id}`);
  expect(await socket.ask('subscription.reconnect', { channels: ['values'], since: 0 })).toMatchObject({
    result: { replayed_events: 0 },
  });
  socket.close();
});
