import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { command, isRootEnd, newThread, openEvents } from './protocol-client.ts';

const api = useApi();

describe('POST /threads/{thread_id}/commands', () => {
  test('run.start creates the thread and a resumable run with all modes; its input answers an open interrupt', async () => {
    const thread = newThread();
    const reader = await openEvents(api, thread, { channels: ['lifecycle', 'input', 'values'] });
    const started = await command(api, thread, 'run.start', {
      assistant_id: 'approval',
      input: { topic: 'cats' },
      metadata: { from: 'test' },
    });
    await reader.until(isRootEnd);
    const { json: run } = await api.get(`/threads/${thread}/runs/${started.result.run_id}`);
    expect(run).toMatchObject({
      status: 'interrupted',
      metadata: { from: 'test' },
      multitask_strategy: 'enqueue',
    });
    expect(run.kwargs).toMatchObject({ resumable: true, subgraphs: true });
    const asked = reader.events.findIndex(({ method }) => method === 'input.requested');
    expect(reader.events[asked]!.params.data).toMatchObject({ payload: { question: 'Publish?' } });
    expect(isRootEnd(reader.events[asked + 1]!)).toBe(true);
    const { seq } = reader.events.at(-1)!;
    const again = await command(api, thread, 'run.start', { assistant_id: 'approval', input: 'no' });
    expect(again.meta.applied_through_seq).toBeGreaterThan(seq);
    const end = await reader.until(({ params }) => params.data.event === 'completed');
    expect(end.seq).toBeGreaterThan(again.meta.applied_through_seq);
    expect(reader.events.filter(({ method }) => method === 'values').at(-1)!.params.data).toMatchObject({
      decision: 'no',
      published: false,
    });
    reader.close();
  });

  test('a checkpoint in the configuration forks from there', async () => {
    const thread = newThread();
    const reader = await openEvents(api, thread, { channels: ['lifecycle', 'checkpoints'] });
    await command(api, thread, 'run.start', { assistant_id: 'steps', input: { steps: 2 } });
    await reader.until(isRootEnd);
    const first = reader.events.find(({ params }) => params.data.step === 1)!.params.data.id as string;
    const { result } = await command(api, thread, 'run.start', {
      assistant_id: 'steps',
      input: null,
      config: { configurable: { checkpoint_id: first, thread_id: thread } },
    });
    await reader.until(({ event_id }) => event_id === `synth:${result.run_id}:lifecycle||completed`);
    reader.close();
    const parents = reader.events.filter(({ params }) => params.data.parent_id === first);
    expect(parents.length).toBeGreaterThan(1);
    const refused = await command(api, thread, 'run.start', {
      assistant_id: 'steps',
      input: null,
      config: { configurable: { checkpoint_id: 'first' } },
    });
    expect(refused).toMatchObject({ type: 'error', error: 'invalid_argument' });
  });

  test('input.respond answers an interrupt by id, once, optionally with an update; unknown ids are refused', async () => {
    const thread = newThread();
    const reader = await openEvents(api, thread, { channels: ['lifecycle', 'input', 'values'] });
    await command(api, thread, 'run.start', { assistant_id: 'approval', input: { topic: 'cats' } });
    const { params } = await reader.until(({ method }) => method === 'input.requested');
    await reader.until(isRootEnd);
    const { interrupt_id } = params.data;
    const unknown = await command(api, thread, 'input.respond', { interrupt_id: 'nobody', response: 1 });
    expect(unknown).toMatchObject({ type: 'error', id: 1, error: 'no_such_interrupt' });
    const answers = await Promise.all(
      [1, 2].map(() =>
        command(api, thread, 'input.respond', {
          responses: [{ interrupt_id, response: false, namespace: [] }],
          update: { topic: 'dogs' },
        }),
      ),
    );
    expect(answers.map(({ type }) => type as string).sort()).toEqual(['error', 'success']);
    expect(answers.find(({ type }) => type === 'success')).toMatchObject({ result: {} });
    await reader.until((event) => event.params.data.event === 'completed');
    reader.close();
    const last = reader.events.filter(({ method }) => method === 'values').at(-1)!;
    expect(last.params.data).toMatchObject({ topic: 'dogs', decision: false, published: false });
  });

  test('failed commands return their error code', async () => {
    const thread = newThread();
    expect(await command(api, thread, 'run.pause')).toMatchObject({ error: 'unknown_command', id: 1 });
    expect(await command(api, thread, 'run.start', { input: {} })).toMatchObject({
      error: 'invalid_argument',
    });
    expect(await command(api, thread, 'run.start', { assistant_id: 'none', input: {} })).toMatchObject({
      error: 'invalid_argument',
    });
    expect(await command(api, thread, 'agent.getTree', { run_id: newThread() })).toMatchObject({
      error: 'no_such_run',
    });
    expect(await command(api, thread, 'state.get')).toMatchObject({ error: 'invalid_argument' });
    expect(await command(api, thread, 'subscription.subscribe', { channels: ['values'] })).toMatchObject({
      error: 'unknown_command',
    });
  });

  test('an invalid envelope is a bad request', async () => {
    for (const body of ['{', {}, { id: 'a', method: 'run.start' }, { id: 1 }, { id: 1.5, method: 'x' }, []]) {
      const answer = await api.post(`/threads/${newThread()}/commands`, body);
      expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['detail']]);
    }
  });
});
