import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { useHolds } from '../support/holds.ts';
import { useApi } from '../support/use-api.ts';
import { eventually } from './js-sdk-clients.ts';
import { openHook } from './js-use-stream-driver.ts';

const api = useApi();
const holds = useHolds();
const human = (content: string, id: string) => ({ messages: [{ type: 'human', content, id }] });
const runsOf = async (thread: string) =>
  (await api.get(`/threads/${thread}/runs`)).json as { status: string }[];

// The hook's manager logs failures and stops, in addition to notifying its listeners.
beforeEach(() => void jest.spyOn(console, 'error').mockImplementation(() => {}));

describe('useStream', () => {
  test('the first submit creates a thread and shows messages as they arrive', async () => {
    const onCreated = jest.fn();
    const { stream, asked, sequence, idle } = openHook(api, { assistantId: 'tokens', onCreated });
    const shown = new Set<string>();
    stream.subscribe(() => void shown.add(stream.messages.map(({ content }) => content as string).join('|')));
    await stream.submit({ ...human('hi', 'h1'), tokens: 4, delay_ms: 20 });
    await idle();
    expect([...shown]).toEqual(
      expect.arrayContaining(['hi|t0', 'hi|t0 t1', 'hi|t0 t1 t2', 'hi|t0 t1 t2 t3']),
    );
    expect(stream.messages).toMatchObject([
      { type: 'human', content: 'hi' },
      { type: 'ai', content: 't0 t1 t2 t3' },
    ]);
    expect(sequence().slice(0, 2)).toEqual(['POST /threads', 'POST /threads/T/runs/stream']);
    expect(asked[1]!.body).toMatchObject({ on_disconnect: 'cancel', stream_resumable: false });
    expect(asked[1]!.body.stream_mode).toEqual(['values', 'updates', 'messages-tuple']);
    const created = { run_id: expect.stringMatching(/^[0-9a-f-]{36}$/), thread_id: stream.threadId };
    expect(onCreated).toHaveBeenCalledWith(created);
    expect(stream.error).toBeUndefined();
  });

  test('an interrupt is shown without reading the thread; a command answers it', async () => {
    const { stream, idle } = openHook(api, { assistantId: 'approval' });
    await stream.submit({ topic: 'cats' });
    await idle();
    expect(stream.interrupt).toMatchObject({
      id: expect.any(String),
      value: { question: 'Publish?', draft: 'About cats' },
    });
    expect(stream.values).toMatchObject({ topic: 'cats', draft: 'About cats' });
    await stream.submit(undefined, { command: { resume: 'yes' } });
    await idle();
    expect(stream.interrupt).toBeUndefined();
    expect(stream.values).toMatchObject({ decision: 'yes', published: true });
  });

  test('an existing thread is read when opened: its values, interrupt and error', async () => {
    const first = openHook(api, { assistantId: 'approval' });
    await first.stream.submit({ topic: 'cats' });
    await first.idle();
    const opened = openHook(api, { assistantId: 'approval' }, first.stream.threadId);
    await opened.idle();
    expect(opened.sequence()).toEqual(['GET /threads/T/state']);
    expect(opened.stream.values).toMatchObject({ draft: 'About cats' });
    expect(opened.stream.interrupt).toMatchObject({ value: { question: 'Publish?' } });
    const failed = openHook(api, { assistantId: 'boom', onError: () => {} });
    await failed.stream.submit({ kind: 'type-error', message: 'bad type' });
    await failed.idle();
    expect(failed.stream.error).toMatchObject({ name: 'TypeError', message: 'bad type' });
    const again = openHook(api, { assistantId: 'boom' }, failed.stream.threadId);
    await again.idle();
    expect(again.stream.error).toMatchObject({ name: 'TypeError', message: 'bad type' });
  });

  test('every listener receives events', async () => {
    const heard = {
      onUpdateEvent: jest.fn(),
      onCustomEvent: jest.fn(),
      onLangChainEvent: jest.fn(),
      onDebugEvent: jest.fn(),
      onCheckpointEvent: jest.fn(),
      onTaskEvent: jest.fn(),
      onMetadataEvent: jest.fn(),
    };
    const finished: any[] = [];
    const onFinish = (state: object) => void finished.push(state);
    const { stream, asked, idle } = openHook(api, { assistantId: 'tokens', ...heard, onFinish });
    await stream.submit({ events: 2, tokens: 1 });
    await idle();
    expect(new Set(asked[1]!.body.stream_mode)).toEqual(
      new Set(['checkpoints', 'custom', 'debug', 'events', 'messages-tuple', 'tasks', 'updates', 'values']),
    );
    for (const listener of Object.values(heard)) expect(listener).toHaveBeenCalled();
    expect(heard.onCustomEvent.mock.calls.map(([data]) => data)).toEqual(
      [0, 1].map((index) => ({ index, text: `event ${index}` })),
    );
    expect(heard.onMetadataEvent).toHaveBeenCalledWith({ run_id: expect.any(String), attempt: 1 });
    expect(finished).toMatchObject([{ values: { events: 2 }, next: [] }]);
  });

  test('an edit creates a branch; both can be shown', async () => {
    const { stream, asked, sequence, idle } = openHook(api, { assistantId: 'echo', fetchStateHistory: true });
    await stream.submit(human('one', 'h1'));
    await idle();
    expect(sequence().at(-1)).toBe('POST /threads/T/history');
    expect(asked.at(-1)!.body).toEqual({ limit: 10 });
    await stream.submit(human('two', 'h2'));
    await idle();
    const second = stream.messageMetadata.find(({ messageId }) => messageId === 'h2')!;
    expect(second.branchOptions ?? []).toEqual([]);
    const edited = second.firstSeenState!.parent_checkpoint!;
    await stream.submit(human('two, better', 'h2b'), { checkpoint: { ...edited } });
    await idle();
    expect(asked.filter(({ path }) => path.endsWith('/stream')).at(-1)!.body.checkpoint.checkpoint_id).toBe(
      edited.checkpoint_id,
    );
    const texts = () => stream.branchContext.threadHead!.values.messages.map(({ content }: any) => content);
    expect(texts()).toEqual(['one', 'echo: one', 'two, better', 'echo: two, better']);
    const options = stream.messageMetadata.find(({ messageId }) => messageId === 'h2b')!.branchOptions!;
    expect(options).toHaveLength(2);
    stream.setBranch(options[0]!);
    expect(texts()).toEqual(['one', 'echo: one', 'two', 'echo: two']);
    expect(stream.experimental_branchTree.items.some(({ type }) => type === 'fork')).toBe(true);
  });

  test('stop leaves the stream, and the run ends as interrupted', async () => {
    const { stream, sequence, idle } = openHook(api, { assistantId: 'steps' });
    void stream.submit({ steps: 10_000, delay_ms: 30 });
    await eventually(async () => stream.values?.done?.length >= 2);
    await stream.stop();
    await idle();
    await eventually(async () => (await runsOf(stream.threadId!))[0]!.status === 'interrupted');
    expect(sequence()).not.toContain('POST /threads/T/runs/R/cancel');
    expect(stream.values.done.length).toBeGreaterThanOrEqual(2);
  });

  test('further submits are queued on the server', async () => {
    const { stream, asked, sequence, idle } = openHook(api, { assistantId: 'steps' });
    const { hold, release } = holds(2);
    const first = stream.submit({ steps: 3, delay_ms: 100, hold });
    await eventually(async () => stream.threadId && (await runsOf(stream.threadId)).length > 0);
    await stream.submit({ steps: 5, delay_ms: 10 });
    release(2);
    expect(asked.find(({ path }) => path === '/threads/T/runs')!.body).toMatchObject({
      multitask_strategy: 'enqueue',
      stream_resumable: true,
    });
    await first;
    await eventually(async () => sequence().includes('GET /threads/T/runs/R/stream'));
    await idle();
    expect(asked.find(({ path }) => path === '/threads/T/runs/R/stream')!.lastEventId).toBe('-1');
    expect(stream.values).toMatchObject({ steps: 5, done: [1, 2, 3, 4, 5] });
  });
});

describe('useStream with reconnectOnMount', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const options = { assistantId: 'steps', reconnectOnMount: () => storage } as const;
  beforeEach(() => {
    kept.clear();
    Object.assign(globalThis, { window: { sessionStorage: storage } });
  });
  afterEach(() => {
    delete (globalThis as { window?: unknown }).window;
  });

  test('a reopened page shows the run from its start', async () => {
    const before = openHook(api, options);
    const { hold, release } = holds(6);
    void before.stream.submit({ steps: 12, delay_ms: 60, hold });
    await eventually(async () => before.stream.values?.done?.length >= 3);
    expect(before.asked[1]!.body).toMatchObject({ stream_resumable: true, on_disconnect: 'continue' });
    before.close();
    const after = openHook(api, options, before.stream.threadId);
    const lengths = new Set<number>();
    after.stream.subscribe(() => void lengths.add(after.stream.values?.done?.length ?? -1));
    expect(after.stream.tryReconnect()).toBe(true);
    release(6);
    await eventually(async () => after.stream.values?.done?.length === 12);
    await after.idle();
    expect(after.asked.find(({ path }) => path === '/threads/T/runs/R/stream')!.lastEventId).toBe('-1');
    expect([...lengths].filter((length) => length >= 0).sort((a, b) => a - b)).toEqual(
      expect.arrayContaining([0, 1, 2, 3, 12]),
    );
    await eventually(async () => kept.size === 0);
    before.stream.dispose();
  });

  test('stop cancels the run by its id', async () => {
    const { stream, sequence, idle } = openHook(api, options);
    void stream.submit({ steps: 10_000, delay_ms: 30 });
    await eventually(async () => stream.values?.done?.length >= 1);
    await stream.stop();
    await idle();
    await eventually(async () => sequence().includes('POST /threads/T/runs/R/cancel'));
    await eventually(async () => (await runsOf(stream.threadId!))[0]!.status === 'interrupted');
  });
});
