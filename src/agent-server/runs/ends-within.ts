/** Awaits `work`; after the signal aborts, waits at most another `ms`. Throws what `work` throws. */
export async function endsWithin<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  ms: number,
): Promise<Result> {
  const done = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const arm = () => (timer = setTimeout(() => reject(new Error('Work did not stop in time')), ms));
    if (signal.aborted) arm();
    else signal.addEventListener('abort', arm, { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    clearTimeout(timer);
  }
}
