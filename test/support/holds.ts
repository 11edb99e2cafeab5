import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

export interface Hold {
  /** For the input of the graphs `steps` and `tokens`. */
  hold: string;
  release(number: number): void;
}

/** Files that hold fixture graphs: at these steps or tokens, a run waits until it is released. */
export function useHolds(): (...numbers: number[]) => Hold {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-holds-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let made = 0;
  return (...numbers) => {
    const hold = join(folder, String(made++));
    for (const number of numbers) writeFileSync(`${hold}.${number}`, '');
    return { hold, release: (number) => rmSync(`${hold}.${number}`) };
  };
}
