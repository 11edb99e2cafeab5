import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackage } from './debian-package.ts';

const LIBRARIES = '/usr/lib';

/** The machine's libfaketime, or Debian's, installed if allowed; otherwise why there is none. */
export async function findFaketime(): Promise<{ library: string } | { reason: string }> {
  try {
    const library =
      (await installedFaketime()) ?? (await installPackage('libfaketime'), await installedFaketime());
    return library ? { library } : { reason: `libfaketime is not below ${LIBRARIES}` };
  } catch (error) {
    return { reason: `libfaketime is not installed: ${(error as Error).message}` };
  }
}

async function installedFaketime(): Promise<string | undefined> {
  for (const name of await readdir(LIBRARIES)) {
    const files = await readdir(join(LIBRARIES, name, 'faketime')).catch((): string[] => []);
    if (files.includes('libfaketimeMT.so.1')) return join(LIBRARIES, name, 'faketime', 'libfaketimeMT.so.1');
  }
  return undefined;
}

/**
 * The environment of a process whose clock starts at that time, as do the clocks of its child processes. Timers and
 * measured durations keep the real time; Go programs read the real clock.
 */
export const shiftedTo = (library: string, time: Date): Record<string, string> => ({
  LD_PRELOAD: library,
  FAKETIME: `${time > new Date() ? '+' : '-'}${Math.round(Math.abs(time.getTime() - Date.now()) / 1000)}`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
});
