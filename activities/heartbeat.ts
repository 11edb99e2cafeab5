import { asyncLocalStorage, heartbeat } from '@temporalio/activity';

const DEFAULT_MS = 5_000;

/** Sends heartbeats while `work` runs: when they stop, another worker takes over. Sends none outside an activity. */
export async function withHeartbeat<T>(work: () => Promise<T>, everyMs = DEFAULT_MS): Promise<T> {
  if (!asyncLocalStorage.getStore()) return work();
  const timer = setInterval(heartbeat, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
