import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

// Only if a child process keeps its output open; none of ours does.
const LAST_WORDS_MS = 10_000;

/** Waits for a process's exit code and the end of its output. */
export async function endOf(child: ChildProcess): Promise<number | null> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  await Promise.race([closed, pause(LAST_WORDS_MS, undefined, { ref: false })]);
  return code;
}
