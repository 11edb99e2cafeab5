import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const AGAIN_MS = 20_000;

/** Repeats the registration, because Temporal may lose its store. Returns a stop function. */
export function keepRegistered(register: () => Promise<unknown>, log: Logger): () => Promise<void> {
  const over = new AbortController();
  const turns = (async () => {
    for (;;) {
      await pause(AGAIN_MS, undefined, { signal: over.signal, ref: false });
      await register().catch((error: unknown) =>
        log.warn({ err: error }, 'could not check the registrations in Temporal'),
      );
    }
  })().catch(() => {});
  return async () => {
    over.abort();
    await turns;
  };
}
