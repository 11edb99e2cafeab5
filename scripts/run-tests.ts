import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '../src/platform/embedded/embedded.ts';
import { packageRoot } from '../src/platform/package-root.ts';

// They wait more than they work, for whole minutes: beside the others they cost no time.
const WAITING = `/test/(${[
  'faults/build-killed',
  'faults/cron-downtime',
  'faults/cron-exactly-once',
  'faults/revision-states',
  'faults/rollouts',
  'faults/webhooks',
  'faults/workers-gone',
  'conformance/cli-deploy',
  'conformance/js-cli',
  'conformance/python-cli',
  'conformance/python-sdk',
  'control-plane/.*',
  'drivers/.*',
].join('|')})\\.test`;

/** Runs jest; resolves with its exit code. */
const jest = (args: string[], env: NodeJS.ProcessEnv = process.env): Promise<number> =>
  new Promise((resolve) => {
    const command = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...args];
    const child = spawn(process.execPath, command, {
      cwd: fileURLToPath(packageRoot),
      env,
      stdio: 'inherit',
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });

/** Everything: what waits in one process, the rest in another, on the same Postgres and Temporal. */
async function runAll(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-test-'));
  const embedded = await startEmbedded({ dataDir, onProgress() {} });
  const env = {
    ...process.env,
    TEST_DATABASE_URL: embedded.databaseUrl,
    TEST_TEMPORAL_ADDRESS: embedded.temporalAddress,
  };
  try {
    const codes = await Promise.all([
      jest(['--maxWorkers=1', '--testPathIgnorePatterns', WAITING], env),
      jest(['--maxWorkers=1', '--testPathPatterns', WAITING], env),
    ]);
    return Math.max(...codes);
  } finally {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2);
process.exitCode = asked.length > 0 ? await jest(asked) : await runAll();
