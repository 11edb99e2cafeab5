import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import type { MessageSendParams, Part, Task } from 'a2a-sdk-0.3';
import { type Client, ClientFactory } from 'a2a-sdk-0.3/client';
import { useApi } from '../support/use-api.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '1' } });
const clients = new Map<string, Client>();

beforeAll(async () => {
  for (const graph of ['echo', 'tokens', 'sleepy', 'approval', 'boom'])
    clients.set(
      graph,
      await new ClientFactory().createFromUrl(`${api.url}/a2a/${graph}/.well-known/agent-card.json`, ''),
    );
});

const client = (graph: string): Client => clients.get(graph)!;
const message = (parts: Part[], rest: object = {}): MessageSendParams => ({
  message: { kind: 'message', role: 'user', messageId: randomUUID(), parts, ...rest },
});
const text = (words: string): Part => ({ kind: 'text', text: words });
const data = (values: Record<string, unknown>): Part => ({ kind: 'data', data: values });
const send = async (graph: string, params: MessageSendParams) =>
  (await client(graph).sendMessage(params)) as Task;

test("the card has the agent's URL, at its own and the well-known path", async () => {
  const { url, name } = await client('echo').getAgentCard();
  expect([new URL(url).origin, name]).toEqual([new URL(api.url).origin, 'echo']);
  const found = await new ClientFactory().createFromUrl(
    `${api.url}/.well-known/agent-card.json?assistant_id=echo`,
    '',
  );
  expect((await found.getAgentCard()).url).toBe(url);
});

test('sendMessage returns the finished task', async () => {
  const task = await send('echo', message([text('hello')]));
  expect(task).toMatchObject({
    kind: 'task',
    status: { state: 'completed' },
    artifacts: [{ parts: [text('echo: hello')] }],
  });
  const again = await send('echo', message([text('again')], { contextId: task.contextId }));
  expect(again.contextId).toBe(task.contextId);
});

test('sendMessage waits for a slow task', async () => {
  expect((await send('sleepy', message([data({ ms: 2_500 })]))).status.state).toBe('completed');
});

test('sendMessageStream streams the task from its first to its last state', async () => {
  const events = [];
  for await (const event of client('tokens').sendMessageStream(message([data({ tokens: 3, delay_ms: 700 })])))
    events.push(event);
  expect(events[0]).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
  const words = events.flatMap((event) =>
    event.kind === 'status-update' && event.status.message ? event.status.message.parts : [],
  );
  expect(words.at(-1)).toEqual(text('t0 t1 t2'));
  expect(events.at(-2)).toMatchObject({ kind: 'artifact-update', artifact: { parts: [text('t0 t1 t2')] } });
  expect(events.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
});

test('a question can be answered with its task id', async () => {
  const asked = await send('approval', message([data({ topic: 'boats' })]));
  expect(asked.status.state).toBe('input-required');
  const { id: taskId, contextId } = asked;
  const done = await send('approval', message([text('yes')], { taskId, contextId }));
  expect(done).toMatchObject({ id: taskId, status: { state: 'completed' } });
  await expect(send('approval', message([text('more')], { taskId }))).rejects.toThrow(/not supported/);
});

test('getTask, cancelTask and resubscribeTask', async () => {
  const params = { ...message([data({ ms: 600_000 })]), configuration: { blocking: false } };
  const { id } = await send('sleepy', params);
  const resubscribed = client('sleepy').resubscribeTask({ id });
  expect((await resubscribed.next()).value).toMatchObject({ kind: 'task', id });
  expect(['submitted', 'working']).toContain((await client('sleepy').getTask({ id })).status.state);
  expect((await client('sleepy').cancelTask({ id })).status.state).toBe('canceled');
  const rest = [];
  for await (const event of resubscribed) rest.push(event);
  expect(rest.at(-1)).toMatchObject({ status: { state: 'canceled' }, final: true });
  await expect(client('sleepy').cancelTask({ id })).rejects.toThrow(/cannot be canceled/);
  await expect(client('sleepy').getTask({ id: 'nobody' })).rejects.toThrow(/not found/);
});

test('a failure is a failed task', async () => {
  const { status } = await send('boom', message([data({ message: 'no luck' })]));
  expect(status).toMatchObject({ state: 'failed', message: { parts: [text('Error: no luck')] } });
});
