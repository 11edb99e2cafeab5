import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { clientOf, countingFetch, eventsOf, eventually, type Part, SDKS } from './js-sdk-clients.ts';

const api = useApi();

describe.each(SDKS)('langgraph-sdk %s thread streams', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);

  /** Reads a thread's stream until it has as many run ends as given. */
  async function follow(id: string, ends: number, options: object, reader = client()): Promise<Part[]> {
    const parts: Part[] = [];
    const signal = new AbortController();
    for await (const part of reader.threads.joinStream(id, { ...options, signal: signal.signal })) {
      if (part.event !== '') parts.push(part);
      if (parts.filter(({ data }) => data?.status === 'run_done').length === ends) break;
    }
    signal.abort();
    return parts;
  }

  test('shows every run of the thread, one after another, and their ends', async () => {
    const { thread_id: id } = await client().threads.create();
    const counting = countingFetch();
    const reader = clientOf(Sdk, api, { callerOptions: { fetch: counting.fetch } });
    const following = follow(id, 2, {}, reader);
    const lifecycle = follow(id, 2, { streamMode: ['lifecycle'] }, reader);
    await eventually(async () => counting.opened === 2);
    const runs = [];
    for (const steps of [1, 2])
      runs.push(
        await client().runs.create(id, 'steps', { input: { steps }, streamMode: ['updates', 'values'] }),
      );
    const [first, second] = runs.map(({ run_id }) => run_id) as [string, string];
    const done = (run_id: string) => ({ event: 'metadata', data: { status: 'run_done', run_id } });
    const parts = await following;
    expect(parts.every(({ id }) => /^\d+-\d+$/.test(id!))).toBe(true);
    expect(parts.map(({ event, data }) => ({ event, data }))).toEqual([
      { event: 'metadata', data: { run_id: first, attempt: 1 } },
      { event: 'values', data: { steps: 1, done: [] } },
      { event: 'updates', data: { step: { done: [1] } } },
      { event: 'values', data: { steps: 1, done: [1] } },
      done(first),
      { event: 'metadata', data: { run_id: second, attempt: 1 } },
      { event: 'values', data: { steps: 2, done: [1] } },
      { event: 'updates', data: { step: { done: [2] } } },
      { event: 'values', data: { steps: 2, done: [1, 2] } },
      done(second),
    ]);
    expect((await lifecycle).map(({ event, data }) => ({ event, data }))).toEqual([
      { event: 'metadata', data: { run_id: first, attempt: 1 } },
      done(first),
      { event: 'metadata', data: { run_id: second, attempt: 1 } },
      done(second),
    ]);
  });

  test('with an id it starts with stored events of resumable runs', async () => {
    const { thread_id: id } = await client().threads.create();
    for (const text of ['a', 'b']) {
      const run = await client().runs.create(id, 'echo', { input: { text }, streamResumable: true });
      await client().runs.join(id, run.run_id);
    }
    const all = await follow(id, 2, { lastEventId: '-' });
    expect(eventsOf(all)).toEqual([
      'metadata',
      'values',
      'values',
      'metadata',
      'metadata',
      'values',
      'values',
      'metadata',
    ]);
    expect(await follow(id, 1, { lastEventId: all[3]!.id })).toEqual(all.slice(4));
  });

  test('state_update reports state updates from outside', async () => {
    const { thread_id: id } = await client().threads.create({ graphId: 'approval' });
    const signal = new AbortController();
    const counting = countingFetch();
    const reader = clientOf(Sdk, api, { callerOptions: { fetch: counting.fetch } });
    const stream = reader.threads.joinStream(id, { streamMode: ['state_update'], signal: signal.signal });
    const next = stream[Symbol.asyncIterator]().next();
    await eventually(async () => counting.opened === 1);
    await client().threads.updateState(id, { values: { topic: 'x' }, asNode: 'write' });
    expect((await next).value).toMatchObject({
      event: 'state_update',
      data: {
        thread_id: id,
        state: { values: { topic: 'x' }, next: ['review'], checkpoint: { thread_id: id } },
      },
    });
    signal.abort();
  });
});
