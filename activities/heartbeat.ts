import { heartbeat } from '@temporalio/activity';

const DEFAULT_MS = 5_000;

/** Sends heartbeats while `work` runs: when they stop, another worker takes over. */
export async function withHeartbeat<T>(work: () => Promise<T>, everyMs = DEFAULT_MS): Promise<T> {
  const timer = setInterval(heartbeat, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
