import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { readmeWithSettings, settingsDocument } from '../../scripts/settings-document.ts';
import { AgentSettings } from '../../src/agent-server/agent-settings.ts';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { ClientSettings } from '../../src/deploy-client/client-settings.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { TracingSettings } from '../../src/tracing/tracing-settings.ts';

const read = (file: string) => readFile(new URL(file, packageRoot), 'utf8');

test('docs/settings.md is up to date: `npm run docs:settings`', async () => {
  expect(await read('docs/settings.md')).toBe(settingsDocument());
});

test('the settings in the README are up to date: `npm run docs:settings`', async () => {
  const readme = await read('README.md');
  expect(readme.match(/^\| `[A-Z_]+` \|/gm)).toHaveLength(15);
  expect(readme).toBe(readmeWithSettings(readme));
});

test('docs/settings.md lists every setting', () => {
  const document = settingsDocument();
  const names = [AgentSettings, ControlPlaneSettings, TracingSettings, ClientSettings].flatMap((schema) =>
    Object.keys(schema.properties),
  );
  const missing = names.filter((name) => !document.includes(`| \`${name}\` |`));
  expect(missing).toEqual([]);
});

test('a decision has at most 200 words', async () => {
  const folder = new URL('docs/decisions/', packageRoot);
  const files = await readdir(folder);
  const words = await Promise.all(
    files.map(async (file) => (await readFile(new URL(file, folder), 'utf8')).trim().split(/\s+/).length),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((_file, place) => words[place]! > 200)).toEqual([]);
});
