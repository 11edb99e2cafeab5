import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackage } from './debian-package.ts';

const LIBRARIES = '/usr/lib';

/** The libfaketime of this machine, or Debian's, which is installed where that is allowed; else why there is none. */
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
 * The environment of a process whose clock begins at that time and goes on from there, as do those of the processes it
 * starts. Timers and their measurements keep the true time; programs in Go read the true clock.
 */
export const shiftedTo = (library: string, time: Date): Record<string, string> => ({
  LD_PRELOAD: library,
  FAKETIME: `${time > new Date() ? '+' : '-'}${Math.round(Math.abs(time.getTime() - Date.now()) / 1000)}`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
});
