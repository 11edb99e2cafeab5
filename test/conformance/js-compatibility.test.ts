import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const read = (path: string) => readFile(new URL(path, packageRoot), 'utf8');
const unescaped = (source: string) => source.replaceAll("\\'", "'");

test('every test that docs/compatibility.md cites exists', async () => {
  const document = await read('docs/compatibility.md');
  const cells = document
    .split('\n')
    .flatMap((line) => (line.startsWith('|') ? line.split('|').map((cell) => cell.trim()) : []));
  const folders = await Promise.all(
    ['test/api/', 'test/conformance/', 'test/control-plane/', 'test/tracing/'].map((folder) =>
      readdir(new URL(folder, packageRoot), { recursive: true }).then((files) =>
        files.map((file) => folder + file),
      ),
    ),
  );
  // `file › test`, separated by semicolons; some cells begin with a statement that it works.
  const references = cells
    .flatMap((text) => text.replace(/^works, /, '').split(/; (?=[\w/.-]+ › |`npm run )/))
    .filter((text) => text.includes(' › '));
  const missing: string[] = [];
  for (const reference of references) {
    const [file, name] = reference.split(' › ') as [string, string];
    const path = folders.flat().find((candidate) => candidate.endsWith(`/${file}.test.ts`));
    if (!path || !unescaped(await read(path)).includes(name)) missing.push(reference);
  }
  expect(missing).toEqual([]);
});

test('every Python case that docs/compatibility.md cites exists', async () => {
  const document = await read('docs/compatibility.md');
  const files = (await readdir(new URL('test/conformance/python/', packageRoot))).filter((file) =>
    file.endsWith('_cases.py'),
  );
  const sources = (await Promise.all(files.map((file) => read(`test/conformance/python/${file}`)))).join(
    '\n',
  );
  // A table ends at the next line outside it; its third column is the Python SDK's if its header says so.
  const tables = document
    .split(/\n(?!\|)/)
    .map((text) => text.split('\n').filter((line) => line.startsWith('|')));
  const rows = tables
    .filter(([head]) => head?.split('|')[3]?.trim() === 'Python SDK')
    .flatMap(([, , ...body]) => body);
  const named = rows.map((row) => row.split('|')[3]!.trim()).filter((name) => name !== '');
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !sources.includes(`"${name}"`))).toEqual([]);
});
