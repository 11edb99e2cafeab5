import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { AgentSettings } from '../../src/agent-server/agent-settings.ts';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { ClientSettings } from '../../src/deploy-client/client-settings.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { TracingSettings } from '../../src/tracing/tracing-settings.ts';

test('the README lists every setting with its default and its meaning', async () => {
  const readme = await readFile(new URL('README.md', packageRoot), 'utf8');
  const properties = [
    ...Object.entries({
      ...AgentSettings.properties,
      ...ControlPlaneSettings.properties,
      ...TracingSettings.properties,
    }),
    // One of them has a name of the platform's, and another meaning.
    ...Object.entries(ClientSettings.properties),
  ] as unknown as [string, { default?: string | number | boolean; description: string }][];
  const rows = properties.map(([name, { default: value, description }]) => {
    const byDefault = value === undefined ? '' : `\`${String(value)}\``;
    return `| \`${name}\` | ${byDefault} | ${description} |`;
  });
  expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
});
