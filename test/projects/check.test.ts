import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { at, BUILDER, ESM, project } from '../support/agent-project.ts';

test('refuses invalid webhook headers', () => {
  const folder = project({
    ...ESM,
    'agent.ts': `${BUILDER}export const graph = says('hi').compile();`,
    'graph.json': {
      graphs: { agent: './agent.ts:graph' },
      webhooks: { headers: { authorization: 'Bearer ${{ env.LG_WEBHOOK_TOKEN }}' } },
    },
  });
  const check = (env: Record<string, string>) =>
    spawnSync(process.execPath, [at('dist/bin/slipway.js'), 'check', '--config', folder], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
  const { status, stderr } = check({ LG_WEBHOOK_TOKEN: '' });
  expect(stderr).toContain('webhooks.headers.authorization: LG_WEBHOOK_TOKEN is not set in the environment');
  expect(status).not.toBe(0);
  expect(check({ LG_WEBHOOK_TOKEN: 'given' })).toMatchObject({
    status: 0,
    stdout: "graph 'agent' loads\n",
  });
});

test('refuses a checkpointer that would not be used', () => {
  const folder = project({
    'langgraph.json': {
      graphs: { agent: './agent.py:graph' },
      checkpointer: { path: './nowhere.py:make', backend: 'mongo' },
    },
  });
  const { status, stderr } = spawnSync(
    process.execPath,
    [at('dist/bin/slipway.js'), 'check', '--config', folder],
    { encoding: 'utf8' },
  );
  const lines = ['path', 'backend'].map(
    (name) =>
      `langgraph.json: checkpointer.${name} is not supported, because checkpoints are stored in the server's Postgres; remove it`,
  );
  expect({ status, stderr }).toEqual({ status: 2, stderr: `slipway: ${lines.join('\n')}\n` });
});
