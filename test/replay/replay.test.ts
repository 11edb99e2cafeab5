import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowBundle } from '../../src/platform/temporal/worker.ts';

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
const histories = new URL('./histories/', import.meta.url);
const bundle = { workflowBundle: { codePath: workflowBundle } };

test.each(await readdir(histories))('%s still replays', async (file) => {
  const history: unknown = JSON.parse(await readFile(new URL(file, histories), 'utf8'));
  await expect(Worker.runReplayHistory(bundle, history)).resolves.toBeUndefined();
});

test('an incompatible history is detected', async () => {
  const text = await readFile(new URL('three-runs.json', histories), 'utf8');
  const altered: unknown = JSON.parse(text.replaceAll('"executeRun"', '"runGraph"'));
  await expect(Worker.runReplayHistory(bundle, altered)).rejects.toThrow();
});
