import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const MAX_FILES = 5;
const root = fileURLToPath(packageRoot);

/** Source files below a folder, each with the files it imports, types included. */
function importsOf(folder: string): Map<string, string[]> {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
  return new Map(
    files.map((file) => [
      file,
      [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(
        ([, path]) => normalize(join(dirname(file), path!)),
      ),
    ]),
  );
}

function reachable(from: string, imports: Map<string, string[]>): Set<string> {
  const found = new Set<string>();
  const open = [from];
  for (let file = open.pop(); file !== undefined; file = open.pop())
    for (const imported of imports.get(file) ?? [])
      if (!found.has(imported)) {
        found.add(imported);
        open.push(imported);
      }
  return found;
}

test(`no import cycle has more than ${MAX_FILES} files`, () => {
  const imports = new Map(
    ['src', 'workflows', 'activities', 'console/src'].flatMap((f) => [...importsOf(f)]),
  );
  expect(imports.size).toBeGreaterThan(1_000);
  const reach = new Map([...imports.keys()].map((file) => [file, reachable(file, imports)]));
  const circles = [...imports.keys()].map((file) =>
    [...reach.get(file)!].filter((other) => reach.get(other)?.has(file)),
  );
  expect(circles.filter((circle) => circle.length > MAX_FILES)).toEqual([]);
});

test.each([
  'src',
  'src/platform',
  'src/tracing',
  'src/control-plane',
  'src/agent-server',
  'src/graph-host',
  'workflows',
  'activities',
  'console/src',
])('folders and files of %s import downwards only', (area) => {
  const roomOf = (file: string) => file.slice(area.length + 1).split('/')[0]!;
  const rooms = new Map<string, string[]>();
  for (const [file, imported] of importsOf(area)) {
    // A dependencies file names the types of everything that is passed around.
    if (file.endsWith('-deps.ts')) continue;
    const room = roomOf(file);
    const others = imported.filter((other) => other.startsWith(`${area}/`)).map(roomOf);
    rooms.set(room, [...(rooms.get(room) ?? []), ...others.filter((other) => other !== room)]);
  }
  expect(rooms.size).toBeGreaterThan(1);
  expect([...rooms.keys()].filter((room) => reachable(room, rooms).has(room))).toEqual([]);
});
