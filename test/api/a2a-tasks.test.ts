import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { A2aCaller, data, text } from './a2a-caller.ts';
import { makeGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const agent = new A2aCaller(() => api.url);
const { rpc } = agent;
const send = (assistant: string, parts: object[], rest?: object, options?: object) =>
  agent.send('message/send', assistant, parts, rest, options);
const started = async (ms: number, contextId: string = randomUUID()) =>
  (await send('sleepy', [data({ ms })], { contextId }, { configuration: { blocking: false } })).result;
const ask = async (rest?: object) => (await send('approval', [data({ topic: 'boats' })], rest)).result;

describe('questions', () => {
  test('an interrupt puts the task into input-required', async () => {
    const task = await ask();
    const question = data({ id: expect.any(String), value: { question: 'Publish?', draft: 'About boats' } });
    expect(task.status).toMatchObject({
      state: 'input-required',
      message: { role: 'agent', parts: [question] },
    });
    expect(task.artifacts).toMatchObject([{ name: 'Interrupt', parts: [question] }]);
    const { result } = await rpc('approval', 'tasks/get', { id: task.id });
    expect(result).toEqual(task);
  });

  test('a command, data or text answers it, in the same task', async () => {
    const answers: [object[], object, object, unknown][] = [
      [[text('ignored')], { command: { resume: 'by command' } }, {}, 'by command'],
      [[text('ignored')], {}, { command: { resume: 'of params' } }, 'of params'],
      [[data({ resume: { by: 'data' } })], {}, {}, { by: 'data' }],
      [[data({ resume: false })], {}, {}, false],
      [[text('by words')], {}, {}, 'by words'],
    ];
    for (const [parts, inMessage, inParams, decision] of answers) {
      const { id: taskId, contextId } = await ask();
      const { result } = await send('approval', parts, { taskId, ...inMessage }, inParams);
      expect(result).toMatchObject({ id: taskId, contextId, status: { state: 'completed' } });
      expect(result.artifacts[0].parts[0].data).toMatchObject({ decision, published: decision !== false });
      const { json } = await api.get(`/threads/${contextId}/runs`);
      expect(json).toHaveLength(2);
      expect((await rpc('approval', 'tasks/list', { contextId })).result).toMatchObject({
        totalSize: 1,
        tasks: [{ id: taskId, status: { state: 'completed' } }],
      });
      // Any of its runs names the task.
      const last = await rpc('approval', 'tasks/get', { id: `${contextId}:${json[0].run_id}` });
      expect(last.result.id).toBe(taskId);
    }
  });

  test('an answer without a task id goes to the task its context waits for', async () => {
    for (const parts of [[data({ resume: 'yes' })], [text('ignored')]]) {
      const { id, contextId } = await ask();
      const command = parts[0] && 'text' in parts[0] ? { command: { resume: 'yes' } } : {};
      const { result } = await send('approval', parts, { contextId, ...command });
      expect(result).toMatchObject({ id, status: { state: 'completed' } });
    }
    const { result: echoed } = await send('echo', [data({ resume: 'nothing waits' })], {
      contextId: randomUUID(),
    });
    expect(echoed.status.state).toBe('completed');
    const { contextId } = await ask();
    const other = await send('approval', [data({ topic: 'trains' })], { contextId });
    expect(other.result).toMatchObject({ contextId, status: { state: 'input-required' } });
  });

  test('one task can ask twice', async () => {
    const { result: first } = await send('interview', [data({})]);
    expect(first.status.message.parts[0]).toEqual(text('Your name?'));
    const { result: second } = await send('interview', [text('Ada')], { taskId: first.id });
    expect(second).toMatchObject({ id: first.id, status: { state: 'input-required' } });
    expect(second.status.message.parts[0]).toEqual(text('Your age, Ada?'));
    const { result: last } = await send('interview', [data({ resume: 36 })], { taskId: first.id });
    expect(last).toMatchObject({ id: first.id, status: { state: 'completed' } });
    expect(last.artifacts[0].parts).toEqual([data({ name: 'Ada', age: 36 })]);
  });

  test('a task that is not waiting rejects messages', async () => {
    const { result: over } = await send('echo', [text('hi')]);
    const asked = await ask();
    const busy = await started(600_000);
    const refused: [string, object][] = [
      ['echo', { taskId: over.id }],
      ['echo', { contextId: over.contextId, command: { resume: 1 } }],
      ['sleepy', { taskId: busy.id }],
    ];
    for (const [assistant, rest] of refused)
      expect((await send(assistant, [text('more')], rest)).error.code).toBe(-32_004);
    expect(
      (await send('approval', [text('x')], { taskId: asked.id, contextId: randomUUID() })).error.code,
    ).toBe(-32_602);
    await send('approval', [data({ topic: 'new' })], { contextId: asked.contextId });
    expect((await send('approval', [text('late')], { taskId: asked.id })).error.code).toBe(-32_004);
    await rpc('sleepy', 'tasks/cancel', { id: busy.id });
  });

  test('a sender that disconnects finds its task completed later', async () => {
    const contextId = randomUUID();
    const gate = makeGate();
    const message = { role: 'user', messageId: 'm', contextId, parts: [data({ ms: 0, until: gate.file })] };
    const leaving = new AbortController();
    const gone = fetch(`${api.url}/a2a/sleepy`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
      signal: leaving.signal,
    }).then((response) => response.text());
    const state = async () =>
      (await rpc('sleepy', 'tasks/list', { contextId })).result.tasks[0]?.status.state;
    await until('it works', async () => (await state()) === 'working');
    leaving.abort();
    await expect(gone).rejects.toThrow();
    gate.open();
    await until('it is done', async () => (await state()) === 'completed');
  });

  test('only one of many concurrent answers is accepted', async () => {
    const { id: taskId } = await ask();
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => send('approval', [text(`n${index}`)], { taskId })),
    );
    const taken = answers.filter(({ result }) => result?.status.state === 'completed');
    const refused = answers.filter(({ error }) => error?.code === -32_004);
    expect([taken.length, refused.length]).toEqual([1, 4]);
  });
});

describe('subscribers of a waiting task', () => {
  const states = (results: any[]): string[] =>
    results.flatMap(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state ?? []);

  test('receive the task first, then updates until it ends', async () => {
    const { result: asked } = await send('interview', [data({})]);
    const stream = await agent.open('interview', 'SubscribeToTask', { id: asked.id });
    await stream.until('the first question', (text) => text.includes('Your name?'));
    await send('interview', [text('Ada')], { taskId: asked.id });
    await stream.until('the second question', (text) => text.includes('Your age, Ada?'));
    await send('interview', [data({ resume: 36 })], { taskId: asked.id });
    const results = agent.results(await stream.whole());
    const [{ task }] = results;
    expect(task).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
    expect(task.artifacts).toMatchObject([{ name: 'Interrupt' }]);
    expect(states(results).filter((state) => state.endsWith('REQUIRED'))).toHaveLength(2);
    expect(states(results).at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(results.at(-2)).toMatchObject({ artifactUpdate: { taskId: asked.id } });
    expect((await rpc('interview', 'SubscribeToTask', { id: asked.id })).error.code).toBe(-32_004);
  });

  test('are notified when it is canceled', async () => {
    const { id } = await ask();
    const stream = await agent.open('approval', 'SubscribeToTask', { id });
    await stream.until('the task', (text) => text.includes('INPUT_REQUIRED'));
    await rpc('approval', 'CancelTask', { id });
    expect(states(agent.results(await stream.whole()))).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_CANCELED',
    ]);
  });

  test('are notified when it is removed, but not about other runs in its context', async () => {
    const { id, contextId } = await ask();
    const stream = await agent.open('approval', 'SubscribeToTask', { id });
    await stream.until('the task', (text) => text.includes('INPUT_REQUIRED'));
    await send('approval', [data({ topic: 'trains' })], { contextId });
    await api.delete(`/threads/${contextId}`);
    expect(agent.results(await stream.whole())).toMatchObject([
      { task: { id } },
      { code: -32_603, message: 'The task was deleted while in progress' },
    ]);
  });

  test('with 0.3, receive the answer up to the next question', async () => {
    const { result: asked } = await send('interview', [data({})]);
    const stream = await agent.open('interview', 'tasks/resubscribe', { id: asked.id });
    await stream.until('the first question', (text) => text.includes('Your name?'));
    await send('interview', [text('Ada')], { taskId: asked.id });
    const results = agent.results(await stream.whole());
    expect(results[0]).toMatchObject({ kind: 'task', id: asked.id });
    expect(results.at(-1)).toMatchObject({ status: { state: 'input-required' }, final: true });
    expect(results.at(-1).status.message.parts[0]).toEqual(text('Your age, Ada?'));
  });
});

describe('get', () => {
  test("returns not found for a missing task, another agent's task, or an invalid id", async () => {
    const { result } = await send('echo', [text('hi')]);
    for (const [assistant, id] of [
      ['echo', `${randomUUID()}:${randomUUID()}`],
      ['echo', `${result.contextId}:${randomUUID()}`],
      ['echo', 'nonsense'],
      ['tokens', result.id],
    ] as const)
      for (const method of ['tasks/get', 'tasks/cancel', 'GetTask', 'CancelTask', 'tasks/resubscribe'])
        expect((await rpc(assistant, method, { id })).error?.code).toBe(-32_001);
    expect((await send('echo', [text('x')], { taskId: 'nonsense' })).error.code).toBe(-32_001);
  });

  test('limits history as requested; runs started elsewhere are tasks too', async () => {
    const { json: thread } = await api.post('/threads', {});
    const input = { messages: [{ role: 'user', content: 'from elsewhere' }] };
    await api.post(`/threads/${thread.thread_id}/runs/wait`, { assistant_id: 'echo', input });
    const { json: runs } = await api.get(`/threads/${thread.thread_id}/runs`);
    const id = `${thread.thread_id}:${runs[0].run_id}`;
    const whole = await rpc('echo', 'tasks/get', { id });
    expect(whole.result.history.map(({ role, parts }: any) => [role, parts[0].text])).toEqual([
      ['user', 'from elsewhere'],
      ['agent', 'echo: from elsewhere'],
    ]);
    expect((await rpc('echo', 'tasks/get', { id, historyLength: 1 })).result.history).toHaveLength(1);
    expect((await rpc('echo', 'tasks/get', { id, historyLength: 0 })).result.history).toEqual([]);
    expect((await rpc('echo', 'tasks/get', { id, historyLength: -1 })).error.code).toBe(-32_602);
  });

  test('version 1.0 formats states, roles and parts differently', async () => {
    const params = { message: { role: 'ROLE_USER', messageId: 'm', parts: [{ text: 'hi' }] } };
    const { result } = await rpc('echo', 'SendMessage', params);
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    const got = await rpc('echo', 'GetTask', { id: result.task.id });
    expect(got.result).toEqual(result.task);
    expect(got.result.history).toMatchObject([
      { role: 'ROLE_USER', parts: [{ text: 'hi' }] },
      { role: 'ROLE_AGENT', parts: [{ text: 'echo: hi' }] },
    ]);
    expect(JSON.stringify(got.result)).not.toContain('"kind"');
  });
});

describe('cancel', () => {
  test('cancels a task in progress for good, but not one that has ended', async () => {
    const { id } = await started(600_000);
    const { result } = await rpc('sleepy', 'tasks/cancel', { id });
    expect(result).toMatchObject({ id, status: { state: 'canceled' } });
    expect((await rpc('sleepy', 'tasks/get', { id })).result.status.state).toBe('canceled');
    expect((await rpc('sleepy', 'tasks/cancel', { id })).error.code).toBe(-32_002);
    const { result: over } = await send('echo', [text('hi')]);
    expect((await rpc('echo', 'tasks/cancel', { id: over.id })).error.code).toBe(-32_002);
  });

  test('a run that was cancelled elsewhere, or before it started, is a canceled task', async () => {
    const running = await started(600_000);
    const queued = await started(600_000, running.contextId);
    const canceled = await rpc('sleepy', 'CancelTask', { id: queued.id });
    expect(canceled.result.status.state).toBe('TASK_STATE_CANCELED');
    const [contextId, runId] = running.id.split(':');
    await api.post(`/threads/${contextId}/runs/${runId}/cancel?wait=1`);
    expect((await rpc('sleepy', 'tasks/get', { id: running.id })).result.status.state).toBe('canceled');
  });

  test('cancels a waiting task, which then rejects answers', async () => {
    const { id: taskId } = await ask();
    const { result } = await rpc('approval', 'tasks/cancel', { id: taskId });
    expect(result.status.state).toBe('canceled');
    expect((await send('approval', [text('yes')], { taskId })).error.code).toBe(-32_004);
  });
});

describe('list', () => {
  test('filters by context, state and time, and pages', async () => {
    const contextId = randomUUID();
    for (const words of ['one', 'two', 'three']) await send('echo', [text(words)], { contextId });
    const list = async (params: object) => (await rpc('echo', 'tasks/list', { contextId, ...params })).result;
    const all = await list({});
    expect(all).toMatchObject({ totalSize: 3, pageSize: 50, nextPageToken: '' });
    expect(all.tasks).toHaveLength(3);
    for (const task of all.tasks) expect(task).toMatchObject({ history: [], status: { state: 'completed' } });
    expect(all.tasks[0]).not.toHaveProperty('artifacts');
    const times = all.tasks.map(({ status }: any) => status.timestamp);
    expect(times).toEqual(times.toSorted((a: string, b: string) => (a < b ? 1 : -1)));
    const first = await list({ pageSize: 2 });
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks]).toEqual(all.tasks);
    expect(second.nextPageToken).toBe('');
    expect((await list({ status: 'TASK_STATE_COMPLETED' })).totalSize).toBe(3);
    for (const status of ['input-required', 'TASK_STATE_AUTH_REQUIRED', 'rejected'])
      expect((await list({ status })).totalSize).toBe(0);
    expect(
      (await list({ statusTimestampAfter: new Date(Date.now() + 60_000).toISOString() })).totalSize,
    ).toBe(0);
    const [{ history, artifacts }] = (await list({ historyLength: 5, includeArtifacts: true })).tasks;
    expect(history).toHaveLength(2);
    expect(artifacts).toMatchObject([{ parts: [text('echo: three')] }]);
    expect((await rpc('echo', 'ListTasks', { contextId })).result.tasks[0].status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  test('lists nothing of a context that does not exist, whatever its name', async () => {
    await send('echo', [text('hi')]);
    for (const contextId of [randomUUID(), 'no-uuid', "it's"])
      expect((await rpc('echo', 'tasks/list', { contextId, pageSize: 2 })).result).toEqual({
        tasks: [],
        totalSize: 0,
        pageSize: 2,
        nextPageToken: '',
      });
  });

  test('omits threadless runs and rejects invalid params', async () => {
    await api.post('/runs/wait', { assistant_id: 'steps', input: { steps: 1 } });
    expect((await rpc('steps', 'tasks/list')).result).toMatchObject({ totalSize: 0, tasks: [] });
    for (const params of [
      { pageSize: 0 },
      { pageSize: 101 },
      { pageToken: 'strange' },
      { status: 'sleeping' },
      { statusTimestampAfter: 'yesterday' },
    ])
      expect((await rpc('steps', 'tasks/list', params)).error.code).toBe(-32_602);
  });
});
