import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { DYNAMIC_CONFIG } from '../../src/platform/embedded/temporal-settings.ts';

test('an external Temporal server is configured like the embedded one', async () => {
  const file = new URL('../../deploy/temporal/dynamic-config.yaml', import.meta.url);
  const entries = [...(await readFile(file, 'utf8')).matchAll(/^([\w.]+):\n {2}- value: (.+)$/gm)];
  const expected = Object.entries(DYNAMIC_CONFIG).map(([key, value]) => [key, String(value)]);
  expect(Object.fromEntries(entries.map(([, key, value]) => [key, value]))).toEqual(
    Object.fromEntries(expected),
  );
});
