import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { useStream } from '@langchain/react';
import { startAgentServer } from '../support/agent-server.ts';
import { useHolds } from '../support/holds.ts';
import { relay } from '../support/relay.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';
import { renderHook } from './react-hook.ts';

const api = useApi();
const holds = useHolds();
const human = (content: string, id: string) => ({ messages: [{ type: 'human' as const, content, id }] });

beforeEach(() => void jest.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void jest.restoreAllMocks());

const render = (options: Record<string, unknown>) =>
  renderHook(() => {
    const stream = useStream<any>({ apiUrl: api.url, ...options } as never) as any;
    const { messages, values, interrupts, isLoading, error, submit, respond, stop, threadId } = stream;
    const texts = (messages as { text: string }[]).map(({ text }) => text);
    return { texts, values, interrupts, isLoading, error, submit, respond, stop, threadId };
  });

describe('useStream of @langchain/react', () => {
  test('a chat: a new thread, and answers that grow token by token', async () => {
    const hook = await render({ assistantId: 'tokens' });
    const { hold, release } = holds(2);
    void hook.current.submit({ ...human('hi', 'h1'), tokens: 4, delay_ms: 100, hold });
    await hook.until(({ isLoading, texts }) => isLoading && texts.join('|') === 'hi|t0 t1');
    release(2);
    // The hook may report the end of a run a moment before it shows the last tokens.
    await hook.until(({ isLoading, texts }) => !isLoading && texts[1] === 't0 t1 t2 t3');
    const shown = new Set(hook.history.map(({ texts }) => texts.join('|')));
    // React skips states that change too fast; each one it shows is the answer so far.
    const answers = [...shown]
      .filter((text) => text.startsWith('hi|'))
      .map((text) => text.slice('hi|'.length));
    expect(answers.at(-1)).toBe('t0 t1 t2 t3');
    for (const answer of answers) expect('t0 t1 t2 t3'.startsWith(answer)).toBe(true);
    expect(answers).toContain('t0 t1');
    expect(answers).toEqual([...answers].toSorted((one, other) => one.length - other.length));
    void hook.current.submit({ ...human('more', 'h2'), tokens: 2 });
    await hook.until(({ isLoading, texts }) => !isLoading && texts[3] === 't0 t1');
    expect(hook.current.texts).toEqual(['hi', 't0 t1 t2 t3', 'more', 't0 t1']);
    expect(hook.current.error).toBeUndefined();
    await hook.unmount();
  });

  test('an interrupt is shown, and its answer continues the run', async () => {
    const hook = await render({ assistantId: 'approval' });
    void hook.current.submit({ topic: 'cats' });
    await hook.until(({ isLoading, interrupts }) => !isLoading && interrupts.length === 1);
    expect(hook.current.interrupts[0]).toMatchObject({
      value: { question: 'Publish?', draft: 'About cats' },
    });
    void hook.current.respond('yes');
    await hook.until(({ values, isLoading }) => !isLoading && values.published === true);
    expect(hook.current.interrupts).toEqual([]);
    await hook.unmount();
  });

  test('a page reloaded during a run shows the rest of it', async () => {
    const threadId = randomUUID();
    const before = await render({ assistantId: 'tokens', threadId });
    void before.current.submit({ ...human('hi', 'h1'), tokens: 30, delay_ms: 60 });
    await before.until(({ texts }) => texts.length === 2 && texts[1]!.includes('t3'));
    await before.unmount();
    const after = await render({ assistantId: 'tokens', threadId });
    const whole = Array.from({ length: 30 }, (_, index) => `t${index}`).join(' ');
    await after.until(({ texts }) => texts[1] === whole);
    await after.until(({ isLoading }) => !isLoading);
    expect(after.current.texts).toEqual(['hi', whole]);
    await after.unmount();
  });

  test('the hook reconnects after the server is killed during a run, and shows the whole answer', async () => {
    const cluster = { databaseUrl: api.databaseUrl, deployment: api.server.deployment };
    const start = () => startAgentServer({ ...cluster, role: 'api' });
    // The hook retries for only a few seconds; the next server is up by then.
    const [front, next] = await Promise.all([start(), start()]);
    let serving = front;
    const address = await relay('127.0.0.1', () => ({
      host: '127.0.0.1',
      port: Number(new URL(serving.url).port),
    }));
    const hook = await render({ assistantId: 'tokens', apiUrl: `http://127.0.0.1:${address.port}` });
    const { hold, release } = holds(30);
    void hook.current.submit({ ...human('hi', 'h1'), tokens: 60, delay_ms: 10, hold });
    await hook.until(({ texts }) => texts.length === 2 && texts[1]!.includes('t3'));
    serving = next;
    await front.end('SIGKILL');
    release(30);
    const whole = Array.from({ length: 60 }, (_, index) => `t${index}`).join(' ');
    await hook.until(({ texts, isLoading }) => !isLoading && texts[1] === whole);
    expect(hook.current.texts).toEqual(['hi', whole]);
    await hook.unmount();
    await Promise.all([address.close(), next.end('SIGKILL')]);
  });

  test('stop ends the run', async () => {
    const threadId = randomUUID();
    const hook = await render({ assistantId: 'tokens', threadId });
    void hook.current.submit({ ...human('hi', 'h1'), tokens: 100_000, delay_ms: 20 });
    await hook.until(({ texts }) => texts.length === 2);
    await hook.current.stop();
    await hook.until(({ isLoading }) => !isLoading);
    const runs = async () => (await api.get(`/threads/${threadId}/runs`)).json as { status: string }[];
    await until('the run has ended', async () => (await runs())[0]!.status !== 'running');
    expect(await runs()).toMatchObject([{ status: 'interrupted' }]);
    await hook.unmount();
  });
});
