import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/platform/package-root.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { noteDeployment } from './use-database.ts';

const cli = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));
// SLIPWAY_TEST_PROJECT runs suites against the same graphs in another language.
const project = process.env['SLIPWAY_TEST_PROJECT'] ?? 'test/fixtures/graphs/graph.json';
export const FIXTURES = fileURLToPath(new URL(project, packageRoot));

export interface AgentServerOptions {
  /** Without one the server starts its own Postgres and Temporal in `env.SLIPWAY_DATA_DIR`. */
  databaseUrl?: string;
  /** Processes with the same deployment share threads and workers. */
  deployment?: string;
  role?: 'all' | 'api' | 'worker';
  config?: string;
  port?: number;
  watch?: boolean;
  env?: Record<string, string>;
}

/** A started `slipway serve` process. */
export interface AgentServer extends ServerProcess {
  deployment: string;
}

/** Starts `slipway serve` as a user would, on the test run's Postgres and Temporal, and waits until it is ready. */
export async function startAgentServer(options: AgentServerOptions): Promise<AgentServer> {
  const { databaseUrl, deployment = `test-${randomUUID()}`, role = 'all', config = FIXTURES } = options;
  if (databaseUrl) noteDeployment(databaseUrl, deployment);
  const server = await startServer(
    [cli, 'serve', '--config', config, '--role', role, ...(options.watch ? ['--watch'] : [])],
    {
      ...(databaseUrl && {
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
      }),
      SLIPWAY_DEPLOYMENT: deployment,
      // Generous, because other tests may keep Temporal busy.
      SLIPWAY_TEMPORAL_DEADLINE_SECONDS: '60',
      PORT: String(options.port ?? 0),
      SLIPWAY_LOG_LEVEL: 'info',
      ...options.env,
    },
    'slipway serve',
  );
  return { ...server, deployment };
}
