import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const ATTEMPTS = 3;
const BETWEEN_MS = 100;

/**
 * Removes files created by untrusted code. The system's `rm` walks open folders, so a folder swapped for a link can't
 * redirect it, and no path is too long.
 */
export async function removeTree(...paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  for (let attempt = 1; ; attempt++) {
    try {
      await execute('rm', ['-rf', '--', ...paths]);
      return;
    } catch (error) {
      // Something may still be writing.
      if (attempt === ATTEMPTS) throw error;
      await delay(BETWEEN_MS);
    }
  }
}
