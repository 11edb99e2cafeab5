/** Timeout of a wait in ms: far longer than needed, because others may use the machine. */
export const PATIENCE_MS = 90_000;

/** Polls until the condition holds; throws with its name on timeout. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Not in ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
