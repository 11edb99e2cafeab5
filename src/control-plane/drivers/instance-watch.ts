import { setTimeout as sleep } from 'node:timers/promises';

export interface WatchOptions {
  url: string;
  isAlive(): Promise<boolean>;
  /** Progress since the last call, in any unit. */
  progress(): Promise<number>;
  /** Longest time without progress, in ms; three times as long in total. */
  patienceMs: number;
  signal: AbortSignal;
}

const POLL_MS = 50;
const PROBE_MS = 2_000;
const LONGEST = 3;

/** Watches a starting process until it answers, ends or times out. Rejects if the signal aborts. */
export async function untilHealthy(options: WatchOptions): Promise<'healthy' | 'ended' | 'late'> {
  const { url, isAlive, progress, patienceMs, signal } = options;
  const began = Date.now();
  let moved = began;
  for (;;) {
    signal.throwIfAborted();
    const answered = await answers(`${url}/ok`, signal);
    // Checked first, as another process may have taken its port.
    if (!(await isAlive())) return 'ended';
    if (answered) return 'healthy';
    if ((await progress()) > 0) moved = Date.now();
    if (Date.now() - moved > patienceMs || Date.now() - began > patienceMs * LONGEST) return 'late';
    await sleep(POLL_MS, undefined, { signal });
  }
}

/**
 * The port opens when all is ready, so any non-5xx response will do: a project may define its own `/ok`. A redirect is
 * such a response; followed, it would send the platform wherever the tenant's image says.
 */
async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
    });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}
