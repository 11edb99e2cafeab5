import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const root = mkdtempSync(join(tmpdir(), 'slipway-gate-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A file that exists once the gate is open. Until then `sleepy` sleeps and `tokens` withholds its last token. */
export function makeGate(): { file: string; open(): void } {
  const file = join(root, randomUUID());
  return { file, open: () => writeFileSync(file, '') };
}
