const TRIES = 3;

/**
 * Holds a promise about time against a machine that others use, too: one that stands still for a moment spoils one
 * measurement, and not three. `measure` returns how many ms it took; what else goes wrong goes wrong at once.
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
