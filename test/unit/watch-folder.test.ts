import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { watchFolder } from '../../src/bin/watch-folder.ts';
import { project } from '../support/agent-project.ts';
import { until } from '../support/until.ts';

test('notices every save by rename, also in new and recreated folders', async () => {
  const folder = project({ 'src/agent.ts': '0' });
  const seen: string[] = [];
  const close = watchFolder(folder, /node_modules/, (path) => seen.push(path));
  const save = (name: string) => {
    writeFileSync(join(folder, '.save'), 'new');
    renameSync(join(folder, '.save'), join(folder, name));
  };
  const expectNoticed = async (name: string, change: () => void) => {
    seen.length = 0;
    change();
    await until(`${name} is noticed`, () => seen.includes(name));
  };
  try {
    for (const name of ['src/agent.ts', 'src/agent.ts', 'src/agent.ts'])
      await expectNoticed(name, () => save(name));
    await expectNoticed('tools', () => mkdirSync(join(folder, 'tools')));
    await expectNoticed('tools/late.ts', () => save('tools/late.ts'));
    await expectNoticed('tools', () => rmSync(join(folder, 'tools'), { recursive: true }));
    await expectNoticed('tools', () => mkdirSync(join(folder, 'tools')));
    await expectNoticed('tools/late.ts', () => save('tools/late.ts'));
    expect(seen.some((path) => path.includes('node_modules'))).toBe(false);
  } finally {
    close();
  }
});
