import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

test('routes hold no SQL', () => {
  const src = fileURLToPath(new URL('src/', packageRoot));
  const routes = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('-routes.ts'),
  );
  expect(routes.length).toBeGreaterThan(80);
  const querying = routes.filter((name) => /\.query[(<]/.test(readFileSync(join(src, name), 'utf8')));
  expect(querying).toEqual([]);
});
