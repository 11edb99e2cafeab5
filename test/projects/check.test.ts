import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { at, BUILDER, ESM, project } from '../support/agent-project.ts';
import { hostPython } from '../support/python-project.ts';

const PYTHON_AGENT = `
from langgraph.graph import START, MessagesState, StateGraph

graph = StateGraph(MessagesState).add_node("a", lambda _: {}).add_edge(START, "a").compile()
`;

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

test.each(['javascript', 'python'])('warns of a checkpointer that is not used, in %s', async (language) => {
  const agent =
    language === 'javascript'
      ? { ...ESM, 'agent.ts': `${BUILDER}export const graph = says('hi').compile();` }
      : { 'agent.py': PYTHON_AGENT };
  const folder = project({
    ...agent,
    'langgraph.json': {
      graphs: { agent: `./${language === 'javascript' ? 'agent.ts' : 'agent.py'}:graph` },
      checkpointer: { path: './nowhere.py:make', backend: 'mongo' },
    },
  });
  const { status, stderr } = spawnSync(
    process.execPath,
    [at('dist/bin/slipway.js'), 'check', '--config', folder],
    { encoding: 'utf8', env: { ...process.env, SLIPWAY_PYTHON: await hostPython() } },
  );
  const warnings = stderr.split('\n').filter((line) => line.startsWith('warning: '));
  expect({ status, warnings }).toEqual({
    status: 0,
    warnings: ['path', 'backend'].map(
      (name) =>
        `warning: langgraph.json: checkpointer.${name} is ignored; checkpoints are stored in the server's Postgres`,
    ),
  });
});
