import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardedProcess } from './guarded-process.ts';
import { oneLine } from './start-failed.ts';

export interface KeptService {
  stop: () => Promise<void>;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
/** A process that lived this long was healthy: its end starts a new series of attempts. */
const HEALTHY_MS = 30_000;

/**
 * Starts a service and starts it again whenever it ends, until it is stopped. `launch` resolves when the service
 * answers; it gives up with an error, or soon after the signal aborts. The first launch's error is the caller's.
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
    await sleep(Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS), undefined, { signal }).catch(
      () => {},
    );
    if (signal.aborted) return false;
    try {
      current = await launch(signal);
      onProgress(`${name} is back`);
      return true;
    } catch (error) {
      if (!signal.aborted) onProgress(`${name} did not come back, trying again: ${oneLine(error)}`);
      return false;
    }
  }

  async function watch(): Promise<void> {
    let attempt = 0;
    while (!signal.aborted) {
      const since = Date.now();
      const end = await current.ended;
      if (signal.aborted) return;
      onProgress(`${name} ended unexpectedly (${end}), starting it again`);
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
      // A launch that was under way may have finished in between.
      await current.stop();
    },
  };
}
