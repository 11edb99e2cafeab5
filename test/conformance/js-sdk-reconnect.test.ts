import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useHolds } from '../support/holds.ts';
import { useApi } from '../support/use-api.ts';
import {
  clientOf,
  collect,
  countingFetch,
  eventsOf,
  eventually,
  type Part,
  running,
  SDKS,
} from './js-sdk-clients.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '0.1' } });
const holds = useHolds();
const slow = { input: { steps: 12, delay_ms: 60 } };

/** Cuts the first stream's connection after that many bytes; records requests. */
function breakingFetch(bytes: number, asked: { url: string; lastEventId: string | null }[]): typeof fetch {
  let broken = false;
  return async (input, init) => {
    const lastEventId = new Headers(init?.headers).get('last-event-id');
    asked.push({ url: new URL(input).pathname, lastEventId });
    const leave = new AbortController();
    const response = await fetch(input, { ...init, signal: leave.signal });
    if (broken || !response.body || !response.headers.get('content-type')?.includes('event-stream'))
      return response;
    broken = true;
    let passed = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        passed += chunk.length;
        controller.enqueue(chunk);
        if (passed <= bytes) return;
        leave.abort();
        controller.error(new TypeError('terminated'));
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
}

describe.each(SDKS)('langgraph-sdk %s reconnect', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);
  const newThread = async () => (await client().threads.create()).thread_id;
  const values = (parts: Part[]) =>
    parts.filter(({ event }) => event === 'values').map(({ data }) => data.done.length);
  const upTo = (steps: number) => Array.from({ length: steps + 1 }, (_, n) => n);

  test('a resumable stream has increasing ids, others have none', async () => {
    const parts = await collect(
      client().runs.stream(await newThread(), 'tokens', {
        input: { events: 50 },
        streamMode: 'custom',
        streamResumable: true,
      }),
    );
    const ids = parts.map(({ id }) => id!.split('-').map(Number) as [number, number]);
    expect(ids).toHaveLength(51);
    for (const [n, [ms, seq]] of ids.entries()) {
      const [before, beforeSeq] = ids[n - 1] ?? [0, 0];
      expect(ms > before || (ms === before && seq > beforeSeq)).toBe(true);
    }
    const plain = await collect(client().runs.stream(await newThread(), 'echo', { input: {} }));
    expect(plain.every(({ id }) => id === undefined)).toBe(true);
  });

  test('joinStream from -1, from an id, and without one', async () => {
    const id = await newThread();
    const { hold, release } = holds(4);
    const input = { ...slow.input, hold };
    const run = await client().runs.create(id, 'steps', { input, streamResumable: true });
    await running(client(), run);
    await eventually(async () => ((await client().threads.getState(id)).values as any).done?.length === 3);
    const counting = countingFetch();
    const reader = clientOf(Sdk, api, { callerOptions: { fetch: counting.fetch } });
    const join = (options: object = {}) => collect(reader.runs.joinStream(id, run.run_id, options));
    const joined = Promise.all([join({ lastEventId: '-1' }), join({ lastEventId: '-' }), join()]);
    await eventually(async () => counting.opened === 3);
    release(4);
    const [all, dash, live] = await joined;
    expect(eventsOf(all)[0]).toBe('metadata');
    expect(values(all)).toEqual(upTo(12));
    expect(dash).toEqual(all);
    expect(live.length).toBeGreaterThan(0);
    expect(live.length).toBeLessThan(all.length);
    expect(all.slice(-live.length)).toEqual(live);
    const middle = all[5]!;
    expect(await join({ lastEventId: middle.id })).toEqual(all.slice(6));
    expect(await join({ lastEventId: all.at(-1)!.id })).toEqual([]);
    expect(await join()).toEqual([]);
    await expect(join({ lastEventId: 'yesterday' })).rejects.toMatchObject({ status: 422 });
    await expect(collect(client().runs.joinStream(id, randomUUID()))).rejects.toMatchObject({ status: 404 });
  });

  test('joinStream with modes keeps their subgraph events', async () => {
    const id = await newThread();
    const streamMode = ['updates', 'values', 'messages-tuple', 'tasks'] as const;
    const payload = {
      input: { topic: 'x' },
      streamMode: [...streamMode],
      streamSubgraphs: true,
      streamResumable: true,
    };
    const run = await client().runs.create(id, 'parent', payload);
    await client().runs.join(id, run.run_id);
    const join = async (mode: string | string[]) => {
      const options = { lastEventId: '-1', streamMode: mode as 'values' };
      const parts = await collect(client().runs.joinStream(id, run.run_id, options));
      return [...new Set(eventsOf(parts).map((name) => name.replaceAll(/:[0-9a-f-]{36}/g, '')))].sort();
    };
    expect(await join('updates')).toEqual([
      'metadata',
      'updates',
      'updates|child',
      'updates|child|grandchild',
    ]);
    expect(await join(['values', 'tasks'])).toEqual([
      'metadata',
      ...['tasks', 'values'].flatMap((mode) => [mode, `${mode}|child`, `${mode}|child|grandchild`]),
    ]);
    const tokens = await client().runs.create(id, 'tokens', {
      input: { tokens: 1 },
      streamMode: ['messages', 'messages-tuple'],
      streamResumable: true,
    });
    await client().runs.join(id, tokens.run_id);
    const messages = { lastEventId: '-1', streamMode: 'messages-tuple' as const };
    expect(eventsOf(await collect(client().runs.joinStream(id, tokens.run_id, messages)))).toEqual(
      expect.arrayContaining(['messages', 'messages/metadata', 'messages/partial']),
    );
  });

  test('a lost connection resumes automatically after the last event', async () => {
    const asked: { url: string; lastEventId: string | null }[] = [];
    const sdk = clientOf(Sdk, api, { callerOptions: { fetch: breakingFetch(900, asked) } });
    const id = await newThread();
    const parts = await collect(sdk.runs.stream(id, 'steps', { ...slow, streamResumable: true }));
    const { run_id } = parts[0]!.data;
    expect(values(parts)).toEqual(upTo(12));
    const again = asked.find(({ lastEventId }) => lastEventId !== null)!;
    expect(again.url).toBe(`/threads/${id}/runs/${run_id}/stream`);
    expect(parts.map((part) => part.id)).toContain(again.lastEventId);
    expect(new Set(parts.map((part) => part.id)).size).toBe(parts.length);
  });

  test('a threadless run can be joined by its id', async () => {
    let runId = '';
    const payload = {
      ...slow,
      streamResumable: true,
      onRunCreated: ({ run_id }: { run_id: string }) => (runId = run_id),
    };
    const streamed = collect(client().runs.stream(null, 'steps', payload));
    await eventually(async () => runId);
    const joined = await collect(client().runs.joinStream(null, runId, { lastEventId: '-1' }));
    expect(joined).toEqual(await streamed);
  });

  test('a disconnecting reader cancels the run only on request', async () => {
    const leave = async (onDisconnect: 'cancel' | 'continue') => {
      const id = await newThread();
      const signal = new AbortController();
      const payload = {
        input: { ms: onDisconnect === 'cancel' ? 600_000 : 700 },
        onDisconnect,
        signal: signal.signal,
      };
      const stream = client().runs.stream(id, 'sleepy', payload)[Symbol.asyncIterator]();
      const { run_id } = ((await stream.next()).value as Part).data;
      signal.abort();
      await stream.next().catch(() => {});
      return eventually(async () => {
        const { status } = await client().runs.get(id, run_id);
        return status !== 'running' && status !== 'pending' && status;
      });
    };
    expect(await Promise.all([leave('cancel'), leave('continue')])).toEqual(['interrupted', 'success']);
  });

  test('cancelOnDisconnect applies to a joined stream', async () => {
    const id = await newThread();
    const run = await client().runs.create(id, 'sleepy', { input: { ms: 600_000 } });
    await running(client(), run);
    const signal = new AbortController();
    const counting = countingFetch();
    const reader = clientOf(Sdk, api, { callerOptions: { fetch: counting.fetch } });
    const joined = collect(
      reader.runs.joinStream(id, run.run_id, { cancelOnDisconnect: true, signal: signal.signal }),
    );
    await eventually(async () => counting.opened === 1);
    signal.abort();
    await joined.catch(() => {});
    await eventually(async () => (await client().runs.get(id, run.run_id)).status === 'interrupted');
  });
});
