import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundleUi } from '../../src/graph-host/ui-bundle.ts';
import { project } from '../support/agent-project.ts';

const graphs = { agent: './agent.ts:graph' };

test('a failing bundle is reported with its location', async () => {
  const dir = project({
    'ui.tsx': 'export default {\n  a: () => <p>,\n};',
    'lost.tsx': `import './nowhere.ts';`,
  });
  const ui = { broken: './ui.tsx', lost: './lost.tsx', missing: './none.tsx' };
  const failure = await bundleUi(dir, { graphs, ui }).catch((error: Error) => error.message.split('\n'));
  expect(failure).toEqual([
    expect.stringMatching(/^ui\.broken: .*ui\.tsx:\d+: /),
    expect.stringMatching(/^ui\.lost: .*lost\.tsx:1: Could not resolve "\.\/nowhere\.ts"/),
    `ui.missing: no such file: ${join(dir, 'none.tsx')}`,
  ]);
});

test('http.disable_ui bundles nothing', async () => {
  const config = { graphs, ui: { missing: './none.tsx' }, http: { disable_ui: true } };
  expect(await bundleUi('/', config)).toEqual(new Map());
});
