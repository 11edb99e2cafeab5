import { expect, test } from '@jest/globals';
import { protocolRoutes } from '../../src/agent-server/protocol/protocol-routes.ts';
import { agentRoutes } from '../../src/agent-server/agent-routes.ts';

const pathsWith = (http: object) =>
  new Set(
    agentRoutes({ project: { config: { http } } } as never).map(({ method, path }) => `${method} ${path}`),
  );

test('the project can disable the event protocol, alone or with all runs', () => {
  const paths = protocolRoutes({} as never).map(({ method, path }) => `${method} ${path}`);
  expect(paths).toHaveLength(3);
  for (const path of paths) {
    expect(pathsWith({}).has(path)).toBe(true);
    expect(pathsWith({ disable_event_streaming: true }).has(path)).toBe(false);
    expect(pathsWith({ disable_runs: true }).has(path)).toBe(false);
  }
});
