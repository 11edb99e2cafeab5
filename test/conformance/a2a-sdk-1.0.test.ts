import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Message, type Part, Role, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk';
import { type Client, ClientFactory } from '@a2a-js/sdk/client';
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
const message = (part: object, rest: object = {}, configuration?: object): SendMessageRequest => ({
  tenant: '',
  metadata: undefined,
  message: Message.fromJSON({ role: Role.ROLE_USER, messageId: randomUUID(), parts: [part], ...rest }),
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: false,
    ...configuration,
  },
});
const send = async (graph: string, request: SendMessageRequest) =>
  (await client(graph).sendMessage(request)) as Task;
const contents = (parts: Part[] | undefined) => parts?.map(({ content }) => content?.value as unknown);

test('the client uses 1.0 as declared by the card', () => {
  expect(client('echo').protocolVersion).toBe('1.0');
});

test('sendMessage returns the finished task', async () => {
  const task = await send('echo', message({ text: 'hello' }));
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(contents(task.artifacts[0]?.parts)).toEqual(['echo: hello']);
  expect(task.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT]);
});

test('sendMessageStream streams the task from its first to its last state', async () => {
  const events = [];
  for await (const event of client('tokens').sendMessageStream(
    message({ data: { tokens: 3, delay_ms: 700 } }),
  ))
    events.push(event.payload);
  expect(events[0]).toMatchObject({
    $case: 'task',
    value: { status: { state: TaskState.TASK_STATE_SUBMITTED } },
  });
  const words = events.flatMap((event) =>
    event?.$case === 'statusUpdate' ? (contents(event.value.status?.message?.parts) ?? []) : [],
  );
  expect(words.at(-1)).toBe('t0 t1 t2');
  const made = events.at(-2);
  expect(made?.$case === 'artifactUpdate' && contents(made.value.artifact?.parts)).toEqual(['t0 t1 t2']);
  expect(events.at(-1)).toMatchObject({
    $case: 'statusUpdate',
    value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
  });
});

test('a question can be answered with its task id', async () => {
  const {
    id: taskId,
    contextId,
    status,
    artifacts,
  } = await send('approval', message({ data: { topic: 'boats' } }));
  expect(status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(contents(artifacts[0]?.parts)).toMatchObject([{ value: { question: 'Publish?' } }]);
  const done = await send('approval', message({ text: 'yes' }, { taskId, contextId }));
  expect([done.id, done.status?.state]).toEqual([taskId, TaskState.TASK_STATE_COMPLETED]);
});

test('getTask, listTasks, cancelTask and resubscribeTask', async () => {
  const request = message({ data: { ms: 600_000 } }, {}, { returnImmediately: true });
  const { id, contextId } = await send('sleepy', request);
  const tenant = '';
  const resubscribed = client('sleepy').resubscribeTask({ id, tenant });
  expect((await resubscribed.next()).value).toMatchObject({ payload: { $case: 'task', value: { id } } });
  expect(await client('sleepy').getTask({ id, tenant })).toMatchObject({ id, contextId });
  const page = await client('sleepy').listTasks({
    tenant,
    contextId,
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  });
  expect([page.totalSize, page.tasks.map((task) => task.id)]).toEqual([1, [id]]);
  const cancelled = await client('sleepy').cancelTask({ id, tenant, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  const rest = [];
  for await (const event of resubscribed) rest.push(event.payload);
  expect(rest.at(-1)).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_CANCELED } } });
  await expect(client('sleepy').cancelTask({ id, tenant, metadata: undefined })).rejects.toMatchObject({
    name: 'TaskNotCancelableError',
  });
  await expect(client('sleepy').getTask({ id: 'nobody', tenant })).rejects.toMatchObject({
    name: 'TaskNotFoundError',
  });
});

test('a failure is a failed task', async () => {
  const { status } = await send('boom', message({ data: { message: 'no luck' } }));
  expect(status?.state).toBe(TaskState.TASK_STATE_FAILED);
  expect(contents(status?.message?.parts)).toEqual(['Error: no luck']);
});
