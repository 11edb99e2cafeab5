const TRIES = 3;

/**
 * Checks a time limit on a shared machine: a short stall spoils one measurement, but not all three. `measure` returns
 * the duration in ms; any other failure fails at once.
 */
export async function takesLess(limitMs: number, measure: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  while (took.length < TRIES) {
    const ms = await measure();
    if (ms < limitMs) return;
    took.push(ms);
  }
  throw new Error(`It took ${took.join(' ms, ')} ms; less than ${limitMs} were promised`);
}
