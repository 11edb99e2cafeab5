import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { pathInArtifact } from '../../src/control-plane/build-folders.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'slipway-artifact-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const artifact = join(root, 'sha256-1');
mkdirSync(join(artifact, 'agents', 'one'), { recursive: true });
writeFileSync(join(artifact, 'agents', 'one', 'graph.json'), '{}');
writeFileSync(join(root, 'graph.json'), '{}');

test.each(['.', 'agents/one', 'agents/one/graph.json', './agents/../agents/one', 'agents/none.json'])(
  '%s is a path of the artifact',
  (path) => {
    expect(pathInArtifact(artifact, path)).toBe(join(artifact, path));
  },
);

test('an artifact is found through a link to the data folder', () => {
  symlinkSync(root, join(root, 'data'));
  const linked = join(root, 'data', 'sha256-1');
  expect(pathInArtifact(linked, 'agents/one')).toBe(join(linked, 'agents/one'));
});

test('a path that leaves the artifact, itself or through a link of the project, is none', () => {
  symlinkSync('..', join(artifact, 'up'));
  symlinkSync('/proc/self', join(artifact, 'process'));
  symlinkSync('../graph.json', join(artifact, 'graph.json'));
  for (const path of ['..', '../graph.json', '/etc/passwd', 'up/graph.json', 'process/environ', 'graph.json'])
    expect([path, pathInArtifact(artifact, path)]).toEqual([path, undefined]);
});
