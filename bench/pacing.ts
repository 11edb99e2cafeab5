/** Duration of each of `count` sequential calls, in ms. */
export async function timeEach(count: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await work(index);
    samples.push(performance.now() - start);
  }
  return samples;
}

/** Total time of `count` calls with limited concurrency, in seconds. */
export async function timeTogether(
  atOnce: number,
  count: number,
  work: (index: number, lane: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const start = performance.now();
  const lanes = Array.from({ length: atOnce }, async (_, lane) => {
    while (next < count) await work(next++, lane);
  });
  await Promise.all(lanes);
  return (performance.now() - start) / 1000;
}

/** Repeats the same work a few times, to even out other load on the machine. */
export async function rounds<Result>(
  count: number,
  work: (round: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let round = 0; round < count; round++) results.push(await work(round));
  return results;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until the condition holds. Throws on a timeout. */
export async function until(
  what: string,
  withinMs: number,
  isSo: () => Promise<boolean>,
  everyMs = 25,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await pause(everyMs);
  }
}
