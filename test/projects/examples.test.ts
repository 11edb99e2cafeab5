import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { at } from '../support/agent-project.ts';

const check = (env: Record<string, string>) => {
  const args = [at('dist/bin/slipway.js'), 'check', '--config', at('examples/graph.json')];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, EXAMPLES_MODEL: '', OPENAI_API_KEY: '', ...env },
  });
  return stdout + stderr;
};

test('with only an OpenAI key, the examples keep their scripted model and log that', () => {
  const output = check({ OPENAI_API_KEY: 'of-something-else', OPENAI_BASE_URL: 'http://127.0.0.1:9' });
  expect(output).toContain('The example agents answer with a scripted model');
  expect(output).not.toContain('failed to load');
});

test('a model without its key fails with what is missing', () => {
  expect(check({ EXAMPLES_MODEL: 'gpt-4o-mini' })).toContain(
    'Error: EXAMPLES_MODEL is gpt-4o-mini, and OPENAI_API_KEY is not set',
  );
});
