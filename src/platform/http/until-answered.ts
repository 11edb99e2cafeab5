import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/** Waits until a closed server has answered its last request, or until the given time in ms since 1970. */
export async function untilAnswered(server: Server, until: number): Promise<void> {
  for (; Date.now() < until; await sleep(POLL_MS)) {
    server.closeIdleConnections();
    const open = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    if (open === 0) return;
  }
}
