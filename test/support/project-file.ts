import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from '@jest/globals';
import { FIXTURES } from './agent-server.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-project-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SOURCES = join(dirname(FIXTURES), 'src');

/** Writes the config file of a project with some fixture graphs and this configuration; returns its path. */
export function projectFile(config: object): string {
  const folder = mkdtempSync(join(root, 'project-'));
  const graphs = {
    echo: `${SOURCES}/echo.ts:graph`,
    boom: `${SOURCES}/boom.ts:graph`,
    sleepy: `${SOURCES}/sleepy.ts:sleepy`,
  };
  const file = join(folder, 'graph.json');
  writeFileSync(file, JSON.stringify({ graphs, ...config }));
  return file;
}
