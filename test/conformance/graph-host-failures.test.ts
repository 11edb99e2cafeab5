import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redact } from '../../src/platform/redaction/redact.ts';
import { SECRET_MESSAGES } from '../support/error-corpus.ts';
import { MemoryServer } from '../support/memory-server.ts';
import { until } from '../support/until.ts';
import { kinds, type LoadedHost, startLoaded } from './graph-host/hosts.ts';
import { type RunParams, runOn } from './graph-host/run-on-host.ts';

const LEFT_WITHIN_MS = 2_000;

/** Strips the process and the time at the end. */
const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8'))
    .trim()
    .replaceAll(/ pid=.*/g, '')
    .split('\n');

describe.each(kinds)('a graph host in $language over $transport', (kind) => {
  const server = new MemoryServer();
  let host: LoadedHost;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graph-host-'));
    host = await startLoaded(kind, server);
  });
  afterAll(async () => {
    await host?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (params: RunParams) => runOn(host, params);

  /** Events and failure of a run that fails with a message. */
  async function failWith(message: string): Promise<{ events: string; failure: string | undefined }> {
    const events: string[] = [];
    const onData = (name: string, body: Buffer) => void events.push(name + body.toString());
    const input = { encoded: Buffer.from(message).toString('base64') };
    const running = runOn(host, { graph_id: 'boom', input, stream_mode: ['tasks', 'debug'] }, { onData });
    const failure = await running.then(
      () => undefined,
      (error: Error) => error.message,
    );
    return { events: events.join(''), failure };
  }

  test('keeps secrets out of errors and streams', async () => {
    // In sequence, because the JavaScript engine drops pending events when one of many concurrent runs fails.
    for (const [message, ...hidden] of SECRET_MESSAGES) {
      const { events, failure } = await failWith(message);
      // A task's error is an object in Python, and JSON text within JSON in JavaScript.
      const text = JSON.stringify(failure);
      const isShown = [text, JSON.stringify(text).slice(1, -1)].some((form) => events.includes(form));
      const leaked = hidden.filter((secret) => events.includes(secret));
      expect({ failure, isShown, leaked }).toEqual({
        failure: redact(message),
        isShown: true,
        leaked: [],
      });
    }
  });

  test('reports only the class of unknown errors', async () => {
    const running = run({ graph_id: 'boom', input: { kind: 'custom', message: 'the code is 1234' } });
    await expect(running).rejects.toMatchObject({
      name: 'DriverFailure',
      message: 'An internal error occurred',
    });
  });

  test.each(['custom', 'tool-custom'])(
    'no stream mode shows the message of such an error: %s',
    async (kindOf) => {
      const events: string[] = [];
      const onData = (name: string, body: Buffer) => void events.push(name + body.toString());
      const input = { kind: kindOf, encoded: Buffer.from('secret plans').toString('base64') };
      for (const stream_mode of [['tools'], ['tasks', 'debug', 'updates', 'tools', 'events']])
        await expect(runOn(host, { graph_id: 'boom', input, stream_mode }, { onData })).rejects.toMatchObject(
          {
            name: 'DriverFailure',
          },
        );
      expect(events.join('')).toContain('An internal error occurred');
      expect(events.join('')).not.toContain('secret plans');
    },
  );

  test('stops a cancelled graph', async () => {
    const file = join(folder, 'sleepy');
    const stop = new AbortController();
    const running = runOn(host, { graph_id: 'sleepy', input: { ms: 60_000, file } }, { signal: stop.signal });
    await until('the node sleeps', () => existsSync(file));
    const began = performance.now();
    stop.abort('interrupt');
    await expect(running).rejects.toMatchObject({ name: 'Cancelled', details: { left: true } });
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await linesOf(file)).toEqual(['started', 'aborted']);
  });

  // Only Python distinguishes a node that swallows its cancellation.
  test.each([
    [20_000, true, false],
    [100, false, false],
    [20_000, true, true],
    [100, false, true],
  ])(
    'waits %i ms for a node that keeps running, and reports whether it has stopped: %s (swallows: %s)',
    async (leave_ms, left, swallows) => {
      const name = `${leave_ms}-${swallows}`;
      const [file, free] = [join(folder, `stubborn-${name}`), join(folder, `free-${name}`)];
      const stop = new AbortController();
      const params = { graph_id: 'stubborn', input: { ms: 1, until: free, file, swallows }, leave_ms };
      const running = runOn(host, params, { signal: stop.signal });
      await until('the node sleeps', () => existsSync(file));
      const began = performance.now();
      stop.abort();
      if (left) setTimeout(() => void writeFile(free, ''), 300);
      await expect(running).rejects.toMatchObject({ name: 'Cancelled', details: { left } });
      expect(performance.now() - began).toBeLessThan(LEFT_WITHIN_MS);
      await writeFile(free, '');
    },
  );

  test('ends a run whose checkpoints are rejected', async () => {
    server.refuseWrites = Object.assign(new Error('claimed again'), { name: 'RunFenced' });
    try {
      const running = run({ graph_id: 'sleepy', input: { ms: 60_000 } });
      await expect(running).rejects.toMatchObject({ name: 'RunFenced', message: 'claimed again' });
    } finally {
      server.refuseWrites = undefined;
    }
  });

  test('respects back-pressure from the server', async () => {
    let take = () => {};
    const taken = new Promise<void>((resolve) => (take = resolve));
    const sentBefore = host.sent();
    let count = 0;
    const onData = () => (++count, taken);
    const running = runOn(
      host,
      { graph_id: 'tokens', input: { events: 100_000 }, stream_mode: ['custom'] },
      { onData },
    );
    await until('the host waits', async () => {
      const sent = host.sent();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return sent > sentBefore && host.sent() === sent;
    });
    expect(host.sent() - sentBefore).toBeLessThan(4 * 1024 * 1024);
    expect(await host.channel.call('ping')).toBeNull();
    take();
    await running;
    expect(count).toBe(100_000);
  });

  test('continues where a killed host left off', async () => {
    const file = join(folder, 'steps');
    const hold = join(folder, 'hold');
    await writeFile(`${hold}.3`, '');
    const first = await startLoaded(kind, server, kind.graphs, ['steps']);
    const params = {
      graph_id: 'steps',
      thread_id: randomUUID(),
      run_id: randomUUID(),
      input: { steps: 4, file, hold },
    };
    const running = runOn(first, params).catch((error: Error) => error.name);
    await until(
      'two steps are done',
      async () => existsSync(file) && (await readFile(file, 'utf8')).includes('step 2'),
    );
    await until(
      'both are kept',
      () => [...server.rows.values()].filter((row) => row.thread_id === params.thread_id).length >= 4,
    );
    first.kill();
    expect(await running).toBe('ConnectionLost');
    await rm(`${hold}.3`);
    const { answer } = await run({ ...params, resume: true });
    expect(answer.values).toMatchObject({ done: [1, 2, 3, 4] });
    expect(await linesOf(file)).toEqual(['step 1', 'step 2', 'step 3', 'step 4']);
    const { answer: again } = await run({
      ...params,
      run_id: randomUUID(),
      resume: true,
      input: { steps: 5 },
    });
    expect(again.values).toMatchObject({ done: [1, 2, 3, 4, 5] });
  });

  test('exits when its connection ends', async () => {
    const other = await startLoaded(kind, server, kind.graphs, ['echo']);
    expect(other.description.graphs).toHaveProperty('echo');
    expect(await other.close()).toBe('exit code 0');
  });
});
