import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from './channel.ts';

const PING_EVERY_MS = 5_000;

/** Closes a connection whose other side answers no ping within `silentMs`: its machine may be gone. */
export async function closeWhenSilent(channel: Channel, silentMs = 15_000): Promise<void> {
  const closed = channel.closed.then(() => true);
  const pause = (ms: number) => sleep(ms, false, { ref: false });
  do {
    const answered = channel.call('ping').then(
      () => true,
      () => true,
    );
    if (!(await Promise.race([answered, pause(silentMs)])))
      channel.close(new Error('the other side does not respond'));
  } while (!(await Promise.race([closed, pause(PING_EVERY_MS)])));
}
