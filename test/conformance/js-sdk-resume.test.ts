import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { clientOf, collect, SDKS } from './js-sdk-clients.ts';

const api = useApi();

describe.each(SDKS)('langgraph-sdk %s interrupt, resume and fork', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);
  const newThread = async () => (await client().threads.create()).thread_id;

  test('an interrupt ends the run as interrupted; resume continues', async () => {
    const id = await newThread();
    const stopped: any = await client().runs.wait(id, 'approval', { input: { topic: 'cats' } });
    const interrupt = { id: expect.any(String), value: { question: 'Publish?', draft: 'About cats' } };
    expect(stopped).toEqual({ topic: 'cats', draft: 'About cats', __interrupt__: [interrupt] });
    expect(await client().runs.list(id)).toMatchObject([{ status: 'interrupted' }]);
    const thread = await client().threads.get(id);
    expect(thread.status).toBe('interrupted');
    expect(Object.values(thread.interrupts)).toEqual([[interrupt]]);
    const [task] = (await client().threads.getState(id)).tasks;
    expect(Object.keys(thread.interrupts)).toEqual([task!.id]);
    const resumed = await client().runs.wait(id, 'approval', { command: { resume: 'yes' } });
    expect(resumed).toEqual({ topic: 'cats', draft: 'About cats', decision: 'yes', published: true });
    expect(await client().threads.get(id)).toMatchObject({ status: 'idle', interrupts: {} });
  });

  test.each([false, 0, '', [], {}, 'no'])('%j is an answer', async (resume) => {
    const id = await newThread();
    await client().runs.wait(id, 'approval', { input: {} });
    const resumed = await client().runs.wait(id, 'approval', { command: { resume } });
    expect(resumed).toMatchObject({ decision: resume, published: resume !== false && resume !== 'no' });
  });

  test('a map by interrupt id answers each', async () => {
    const id = await newThread();
    const stopped: any = await client().runs.wait(id, 'approval', { input: {} });
    const resume = { [stopped.__interrupt__[0].id]: { by: 'ada' } };
    expect(await client().runs.wait(id, 'approval', { command: { resume } })).toMatchObject({
      decision: { by: 'ada' },
    });
  });

  test('a subgraph resumes at its interrupt', async () => {
    const id = await newThread();
    const stopped = await client().runs.wait(id, 'parent', { input: { topic: 'cats', ask: true } });
    expect(stopped).toMatchObject({ __interrupt__: [{ value: { question: 'What about cats?' } }] });
    const resumed: any = await client().runs.wait(id, 'parent', { command: { resume: 'they purr' } });
    expect(resumed).toMatchObject({ answer: 'they purr' });
    expect(resumed.log.at(-1)).toBe('after: they purr');
  });

  test('a functional graph resumes and remembers', async () => {
    const id = await newThread();
    await client().runs.wait(id, 'functional', { input: { value: 4 } });
    await client().runs.wait(id, 'functional', { input: { value: 5, ask: true } });
    expect(await client().runs.wait(id, 'functional', { command: { resume: 10 } })).toMatchObject({
      product: 50,
      runs: 2,
    });
    await client().runs.wait(id, 'functional', { input: { value: 6, ask: true } });
    expect(await client().runs.wait(id, 'functional', { command: { resume: 0 } })).toMatchObject({
      product: 0,
      runs: 3,
    });
  });

  test('command update changes the state, goto selects the node', async () => {
    const id = await newThread();
    await client().runs.wait(id, 'approval', { input: { topic: 'cats' } });
    const command = { update: { decision: 'ok' }, goto: 'publish' };
    const jumped = await client().runs.wait(id, 'approval', { command });
    expect(jumped).toMatchObject({ decision: 'ok', published: true });
    const pairs = { update: [['topic', 'dogs']] as [string, unknown][], goto: ['write'] };
    expect(await client().runs.wait(id, 'approval', { command: pairs })).toMatchObject({
      topic: 'dogs',
      draft: 'About dogs',
    });
  });

  test('goto sends a node an input of its own', async () => {
    const id = await newThread();
    await client().runs.wait(id, 'fanout', { input: { items: 2 } });
    const sends = [7, 8].map((item) => ({ node: 'square', input: { item } }));
    const sent: any = await client().runs.wait(id, 'fanout', { command: { goto: sends } });
    expect(sent.squares).toEqual([1, 4, 49, 64]);
    expect(sent.total).toBe(118);
  });

  test('interruptBefore and interruptAfter stop at nodes; a run without input continues', async () => {
    const id = await newThread();
    const before = await collect(
      client().runs.stream(id, 'approval', {
        input: { topic: 'x' },
        interruptBefore: ['write'],
        streamMode: ['values', 'updates'],
      }),
    );
    expect(before.at(-1)).toMatchObject({ event: 'values', data: { __interrupt__: [] } });
    expect(await client().threads.getState(id)).toMatchObject({ next: ['write'], values: { topic: 'x' } });
    expect(await client().threads.get(id)).toMatchObject({ status: 'interrupted', interrupts: {} });
    await client().runs.wait(id, 'approval', { input: null, interruptAfter: ['write'] });
    expect(await client().threads.getState(id)).toMatchObject({
      next: ['review'],
      values: { draft: 'About x' },
    });
    const every = await newThread();
    await client().runs.wait(every, 'steps', { input: { steps: 2 }, interruptAfter: '*' });
    expect(await client().threads.getState(every)).toMatchObject({ next: ['step'], values: { done: [1] } });
    await client().runs.wait(every, 'steps', { interruptAfter: '*' });
    expect(await client().threads.getState(every)).toMatchObject({ next: [], values: { done: [1, 2] } });
  });

  test('a run from a checkpoint replays or forks from there', async () => {
    const id = await newThread();
    await client().runs.wait(id, 'steps', { input: { steps: 3 } });
    const history = await client().threads.getHistory(id);
    const first = history.find(({ metadata }) => metadata!['step'] === 1)!;
    const { checkpoint_id } = first.checkpoint;
    expect(await client().runs.wait(id, 'steps', { checkpointId: checkpoint_id! })).toMatchObject({
      done: [1, 2, 3],
    });
    const { thread_id: _thread, ...checkpoint } = first.checkpoint;
    const forked = await client().runs.wait(id, 'steps', { checkpoint, input: { steps: 2 } });
    expect(forked).toMatchObject({ steps: 2, done: [1, 2] });
    const head = await client().threads.getState(id);
    const chain = await client().threads.getHistory(id, { limit: 100 });
    const parents = new Map(
      chain.map((state) => [state.checkpoint.checkpoint_id, state.parent_checkpoint?.checkpoint_id]),
    );
    const ancestors: (string | null | undefined)[] = [];
    for (let at = head.checkpoint.checkpoint_id; at; at = parents.get(at) ?? null) ancestors.push(at);
    expect(ancestors).toContain(checkpoint_id);
    expect([...parents.values()].filter((parent) => parent === checkpoint_id)).toHaveLength(3);
  });

  test('durability exit keeps only the last checkpoint of a run', async () => {
    const id = await newThread();
    await client().runs.wait(id, 'steps', { input: { steps: 3 }, durability: 'exit' });
    expect(await client().threads.getHistory(id)).toHaveLength(1);
    const old = await newThread();
    await client().runs.wait(old, 'steps', { input: { steps: 3 }, checkpointDuring: false });
    expect(await client().threads.getHistory(old)).toHaveLength(1);
    expect(await client().threads.getState(old)).toMatchObject({ values: { done: [1, 2, 3] } });
  });
});
