import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DeploymentsApi } from '../../bench/rollouts/deployments-api.ts';
import { type RolloutReport, rollOut } from '../../bench/rollouts/rollouts.ts';
import { LINK } from '../control-plane/build-setting.ts';
import { at } from '../support/agent-project.ts';
import { API_KEY, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';

// The full test is two minutes at 50 a second, which occupies two CPUs completely.
const SECONDS = Number(process.env['ROLLOUTS_SECONDS'] ?? 40);
const RATE = Number(process.env['ROLLOUTS_RATE'] ?? 4);
const ROLLOUTS = Number(process.env['ROLLOUTS'] ?? 3);
const DRAIN_SECONDS = 14;
// A small machine is far behind when traffic ends, but all waiting callers still get their response.
const BEHIND_SECONDS = 1800;

const platform = usePlatform({ settings: SWEEP_OFTEN });
const folder = mkdtempSync(join(tmpdir(), 'slipway-rollouts-'));
let api: DeploymentsApi;
let report: RolloutReport;
beforeAll(async () => {
  cpSync(at('bench/rollouts/project'), folder, { recursive: true });
  // Builds read it as a separate user.
  chmodSync(folder, 0o755);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message', 'agent');
  const { url } = await platform.start('platform', {
    SLIPWAY_GIT_PROTOCOLS: 'file',
    SLIPWAY_DRAIN_SECONDS: String(DRAIN_SECONDS),
    SLIPWAY_ANSWER_SECONDS: String(BEHIND_SECONDS),
    SLIPWAY_DEPLOY_TIMEOUT_SECONDS: '25',
  });
  api = new DeploymentsApi(url, API_KEY);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  'no request fails and no run is lost during rollouts, including a broken one, an interrupted one and a rollback',
  async () => {
    report = await rollOut({
      api,
      source: { repo_url: `file://${folder}`, install_command: LINK },
      rate: RATE,
      longMs: (DRAIN_SECONDS - 2) * 1000,
      behindMs: BEHIND_SECONDS * 1000,
      rollouts: ROLLOUTS,
      lastsMs: SECONDS * 1000,
      say: (line) => process.env['ROLLOUTS_VERBOSE'] && process.stderr.write(`${line}\n`),
    });
    expect(report.failures).toEqual([]);
    expect(report.runs).toBeGreaterThan(SECONDS * RATE * 0.8);
    // Each serving revision executed some steps, and some runs were handed from one to the next.
    expect([...report.steps.keys()].sort()).toEqual(report.served.toSorted());
    expect(report.resumed).toBeGreaterThan(0);
  },
  (SECONDS + BEHIND_SECONDS) * 1000,
);

test('replaced revisions are removed, and with the deployment everything', async () => {
  const instances = async () =>
    (await platform.db.query<{ revision_id: string }>('select revision_id from control_plane.instance')).rows;
  await until('one is left', async () => (await instances()).length === 1);
  expect(await instances()).toEqual([{ revision_id: report.served.at(-1) }]);
  await api.remove(report.deploymentId);
  expect(await instances()).toEqual([]);
});
