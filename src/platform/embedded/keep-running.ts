import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardedProcess } from './guarded-process.ts';
import { oneLine } from './start-failed.ts';

export interface KeptService {
  stop: () => Promise<void>;
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** A process that ran this long was healthy, so its backoff starts over. */
const HEALTHY_MS = 30_000;

/**
 * Keeps a service running until it is stopped. `launch` resolves when the service is ready, and rejects on failure or
 * soon after the signal aborts. An error of the first launch is thrown to the caller.
 */
export async function keepRunning(
  name: string,
  launch: (signal: AbortSignal) => Promise<GuardedProcess>,
  onProgress: (message: string) => void,
): Promise<KeptService> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current = await launch(signal);

  async function relaunch(attempt: number): Promise<boolean> {
    await sleep(Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS), undefined, { signal }).catch(() => {});
    if (signal.aborted) return false;
    try {
      current = await launch(signal);
      onProgress(`${name} is running again`);
      return true;
    } catch (error) {
      if (!signal.aborted) onProgress(`${name} could not be restarted, retrying: ${oneLine(error)}`);
      return false;
    }
  }

  async function watch(): Promise<void> {
    let attempt = 0;
    while (!signal.aborted) {
      const since = Date.now();
      const end = await current.ended;
      if (signal.aborted) return;
      onProgress(`${name} ended unexpectedly (${end}), restarting it`);
      if (Date.now() - since > HEALTHY_MS) attempt = 0;
      while (!signal.aborted && !(await relaunch(attempt++)));
    }
  }

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await current.stop();
      await watching;
      // A pending launch may have completed meanwhile.
      await current.stop();
    },
  };
}
