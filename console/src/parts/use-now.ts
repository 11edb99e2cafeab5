import { useSyncExternalStore } from 'react';

const EVERY_MS = 10_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const readers = new Set<() => void>();

function subscribe(read: () => void): () => void {
  readers.add(read);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const reader of readers) reader();
  }, EVERY_MS);
  return () => {
    readers.delete(read);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Current time in ms since 1970, updated every ten seconds by one shared timer. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
