import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { useStream } from '@langchain/langgraph-sdk/react';
import { useHolds } from '../support/holds.ts';
import { useApi } from '../support/use-api.ts';
import { renderHook } from './react-hook.ts';
import { eventually } from './js-sdk-clients.ts';

const api = useApi();
const holds = useHolds();
const human = (content: string, id: string) => ({ messages: [{ type: 'human' as const, content, id }] });
const runsOf = async (thread: string) =>
  (await api.get(`/threads/${thread}/runs`)).json as { run_id: string; status: string }[];

// The hook requires a DOM to keep state; it logs failures and stops in addition to showing them.
beforeEach(() => {
  jest.spyOn(console, 'error').mockImplementation(() => {});
  Object.assign(globalThis, { window: globalThis });
});
afterEach(() => {
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'window');
});

/** An application that reads everything while rendering, because the hook requests only what is read. */
const render = (options: Record<string, unknown>) =>
  renderHook(() => {
    const stream = useStream<any>({ apiUrl: api.url, apiKey: null as never, ...options } as never);
    const { messages, values, interrupt, isLoading, error, submit, stop } = stream;
    return { messages, values, interrupt, isLoading, error: error as Error | undefined, submit, stop };
  });

/** Where the hook keeps the streamed run across page reloads. */
function storage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

describe('useStream of langgraph-sdk 2.0.0 in React', () => {
  test('submit creates a thread and a run, and shows the answer token by token', async () => {
    let threadId: string | undefined;
    const hook = await render({ assistantId: 'tokens', onThreadId: (id: string) => (threadId = id) });
    expect(hook.current.isLoading).toBe(false);
    const { hold, release } = holds(1, 2, 3);
    void hook.current.submit({ ...human('hi', 'h1'), tokens: 4, hold } as never);
    await hook.until(({ isLoading }) => isLoading);
    for (const [index, text] of ['hi|t0', 'hi|t0 t1', 'hi|t0 t1 t2'].entries()) {
      await hook.until(({ messages }) => messages.map(({ content }) => content as string).join('|') === text);
      release(index + 1);
    }
    await hook.until(({ isLoading }) => !isLoading);
    expect(hook.current.messages).toMatchObject([{ type: 'human' }, { type: 'ai', content: 't0 t1 t2 t3' }]);
    expect(hook.current.error).toBeUndefined();
    expect(await runsOf(threadId!)).toMatchObject([{ status: 'success' }]);
    await hook.unmount();
  });

  test('an interrupt is shown, and answered by a command', async () => {
    const hook = await render({ assistantId: 'approval' });
    void hook.current.submit({ topic: 'cats' } as never);
    await hook.until(({ interrupt, isLoading }) => !isLoading && interrupt !== undefined);
    expect(hook.current.interrupt).toMatchObject({ value: { question: 'Publish?', draft: 'About cats' } });
    void hook.current.submit(null as never, { command: { resume: 'yes' } });
    await hook.until(({ values }) => values.published === true);
    await hook.until(({ isLoading }) => !isLoading);
    expect(hook.current.interrupt).toBeUndefined();
    await hook.unmount();
  });

  test('a reloaded page rejoins the run', async () => {
    const kept = storage();
    let threadId: string | undefined;
    const options = {
      assistantId: 'tokens',
      reconnectOnMount: () => kept,
      onThreadId: (id: string) => (threadId = id),
    };
    const before = await render(options);
    const { hold, release } = holds(20);
    void before.current.submit({ ...human('hi', 'h1'), tokens: 40, delay_ms: 20, hold } as never, {
      streamResumable: true,
    });
    await before.until(({ messages }) => messages.length === 2);
    await eventually(async () => kept.items.size === 1);
    await before.unmount();
    const after = await render({ ...options, threadId });
    await after.until(({ isLoading }) => isLoading);
    release(20);
    await after.until(({ isLoading, messages }) => !isLoading && messages.length === 2);
    const whole = Array.from({ length: 40 }, (_, index) => `t${index}`).join(' ');
    expect(after.current.messages).toMatchObject([{ content: 'hi' }, { content: whole }]);
    expect(await runsOf(threadId!)).toMatchObject([{ status: 'success' }]);
    await eventually(async () => kept.items.size === 0);
    await after.unmount();
  });

  test('stop ends the run and keeps the shown messages', async () => {
    let threadId: string | undefined;
    const hook = await render({ assistantId: 'tokens', onThreadId: (id: string) => (threadId = id) });
    void hook.current.submit({ ...human('hi', 'h1'), tokens: 100_000, delay_ms: 20 } as never);
    await hook.until(({ messages }) => messages.length === 2);
    await hook.current.stop();
    await hook.until(({ isLoading }) => !isLoading);
    expect(hook.current.messages[1]!.content).toMatch(/^t0/);
    const run = await eventually(async () =>
      (await runsOf(threadId!)).find(({ status }) => !['pending', 'running'].includes(status)),
    );
    expect(run.status).toBe('interrupted');
    await hook.unmount();
  });

  test('a failure is shown', async () => {
    const hook = await render({ assistantId: 'boom' });
    void hook.current.submit({ kind: 'type-error', message: 'bad type' } as never);
    await hook.until(({ error }) => error !== undefined);
    expect(hook.current.error).toMatchObject({ name: 'TypeError', message: 'bad type' });
    await hook.unmount();
  });
});
