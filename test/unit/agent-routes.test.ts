import { expect, test } from '@jest/globals';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { agentRoutes } from '../../src/agent-server/agent-routes.ts';

const paths = (http: object) =>
  agentRoutes({ project: { config: { http } } } as unknown as AgentDeps).map(({ path }) => path);

test.each([
  ['disable_mcp', /^\/mcp/],
  ['disable_a2a', /^\/a2a|agent-card|agent\.json/],
  ['disable_store', /^\/store/],
])('%s takes its routes away and no others', (key, pattern) => {
  const all = paths({});
  const rest = paths({ [key]: true });
  expect(all.filter((path) => pattern.test(path))).not.toEqual([]);
  expect(rest).toEqual(all.filter((path) => !pattern.test(path)));
});
