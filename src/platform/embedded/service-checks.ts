import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import type { Environment } from './cache-dir.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { oneLine } from './start-failed.ts';
import { findInstalledTemporalCli, TEMPORAL_CLI_VERSION, temporalCliVersion } from './temporal-cli.ts';

const run = promisify(execFile);

/** Checks the configured Postgres or the embedded programs. Rejects with the problem. */
export async function checkPostgres(env: Environment): Promise<string> {
  if (!env.DATABASE_URL) {
    const { postgres } = await findPostgresBinaries(env, undefined, () => {});
    return `embedded, ${(await run(postgres, ['--version'])).stdout.trim()} (DATABASE_URL is not set)`;
  }
  const client = new Client({ connectionString: env.DATABASE_URL, connectionTimeoutMillis: 3_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return `DATABASE_URL answers, version ${rows[0]?.server_version}`;
  } catch (error) {
    throw new Error(
      `DATABASE_URL does not respond (${oneLine(error)}): correct it, or unset it to use the embedded Postgres`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** Checks the configured Temporal and namespace, or the embedded CLI. Rejects with the problem. */
export async function checkTemporal(env: Environment): Promise<string> {
  const {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_API_KEY: apiKey,
    TEMPORAL_NAMESPACE: namespace = 'default',
  } = env;
  if (!address) {
    const { path } = await findInstalledTemporalCli(env);
    const cli = path
      ? `CLI ${await temporalCliVersion(path)} in ${path}`
      : `CLI ${TEMPORAL_CLI_VERSION} will be downloaded on first start`;
    return `embedded, ${cli} (TEMPORAL_ADDRESS is not set)`;
  }
  const secured = apiKey ? { apiKey, tls: true } : { tls: env.TEMPORAL_TLS === 'true' };
  try {
    const connection = await Connection.connect({ address, ...secured, connectTimeout: '3s' });
    try {
      await connection.withDeadline(Date.now() + 3_000, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
      return `${address} responds and has the namespace ${namespace}`;
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw new Error(
      `${address}, namespace ${namespace}: ${oneLine(error)}. Correct it, or unset TEMPORAL_ADDRESS`,
      { cause: error },
    );
  }
}
