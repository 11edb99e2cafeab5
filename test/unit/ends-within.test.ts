import { expect, test } from '@jest/globals';
import { endsWithin } from '../../src/agent-server/runs/ends-within.ts';

const never = new Promise<never>(() => {});

test('waits for work, but only briefly after its signal aborts', async () => {
  const { signal } = new AbortController();
  expect(await endsWithin(Promise.resolve(1), signal, 1)).toBe(1);
  await expect(endsWithin(never, AbortSignal.abort(), 5)).rejects.toThrow('Work did not stop in time');
  const stop = new AbortController();
  const stopping = new Promise((resolve) =>
    stop.signal.addEventListener('abort', () => setTimeout(resolve, 5, 'stopped')),
  );
  const waited = endsWithin(stopping, stop.signal, 5_000);
  stop.abort();
  expect(await waited).toBe('stopped');
});
