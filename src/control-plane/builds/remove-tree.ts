import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const ATTEMPTS = 3;
const BETWEEN_MS = 100;

/**
 * Removes files that somebody else's code has made. The system's `rm` walks by open folders: a folder swapped for a link
 * leads it nowhere else, and no path is too long for it.
 */
export async function removeTree(...paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  for (let attempt = 1; ; attempt++) {
    try {
      await execute('rm', ['-rf', '--', ...paths]);
      return;
    } catch (error) {
      // Something may still have been writing there.
      if (attempt === ATTEMPTS) throw error;
      await delay(BETWEEN_MS);
    }
  }
}
