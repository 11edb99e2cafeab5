import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/platform/package-root.ts';
import { pythonEnvironment } from '../conformance/python/environment.ts';
import type { AgentServerOptions } from './agent-server.ts';

const PYTHON_FIXTURES = fileURLToPath(new URL('test/fixtures/python/langgraph.json', packageRoot));

/** The interpreter used to test graph hosts. */
export const hostPython = (): Promise<string> =>
  pythonEnvironment(new URL('test/conformance/graph-host/requirements.txt', packageRoot));

/** Options of an agent server with the fixture graphs in Python. */
export const pythonServer = async (): Promise<Required<Pick<AgentServerOptions, 'config' | 'env'>>> => ({
  config: PYTHON_FIXTURES,
  env: { SLIPWAY_PYTHON: await hostPython() },
});
