import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import type { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { createDeployment } from '../../src/control-plane/deployments/deployment-service.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { stepRevision } from '../../src/control-plane/records/revision-repository.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

// The sweep handles CREATING and QUEUED (lost-revisions.test.ts); approval is in operator-workflows.test.ts, UNKNOWN in
// supervisor.test.ts.
const plane = useControlPlane();
type Patience = Partial<
  Pick<
    ControlPlaneSettings,
    'SLIPWAY_PICKUP_TIMEOUT_SECONDS' | 'SLIPWAY_BUILD_TIMEOUT_SECONDS' | 'SLIPWAY_DEPLOY_TIMEOUT_SECONDS'
  >
>;
/** Only steps that should time out have a short limit. */
async function within(patience: Patience, work: () => Promise<void>): Promise<void> {
  const { config } = plane.deps;
  const usual = { ...config };
  Object.assign(config, patience);
  await work().finally(() => Object.assign(config, usual));
}
let api: Caller;
let names = 0;

beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
});

const body = (environment: Record<string, string> = {}) => ({
  name: `watched-${++names}`,
  source: 'git_host' as const,
  source_config: { repo_url: 'https://git.example.com/acme/agent.git' },
  source_revision_config: { repo_ref: 'main' },
  secrets: Object.entries(environment).map(([name, value]) => ({ name, value })),
});
const reaches = async (id: string, revision: string, status: string): Promise<string | null> => {
  const path = `/v2/deployments/${id}/revisions/${revision}`;
  return (await api.until(path, ({ json }) => json.status === status)).json.status_message;
};

test('AWAITING_BUILD times out without a builder', () =>
  within({ SLIPWAY_PICKUP_TIMEOUT_SECONDS: 3 }, async () => {
    const { taskQueue, client, tenant: tenant_id } = plane;
    const workflows = new DeploymentWorkflows({
      client,
      taskQueue,
      buildQueue: randomUUID(),
      deadlineMs: PATIENCE_MS,
    });
    const principal = { tenant_id, name: 'somebody', role: 'deployer' as const };
    const { id, latest_revision_id } = await createDeployment(
      { ...plane.deps, workflows },
      principal,
      body(),
    );
    expect(await reaches(id, latest_revision_id!, 'BUILD_FAILED')).toBe('timed out');
    const { steps } = (await api.get(`/v2/deployments/${id}/revisions/${latest_revision_id}/timeline`)).json;
    expect(steps.map(({ status }: { status: string }) => status)).toEqual([
      'CREATING',
      'AWAITING_BUILD',
      'BUILD_FAILED',
    ]);
  }));

test.each<[string, Patience, Record<string, string>, string]>([
  ['BUILDING', { SLIPWAY_BUILD_TIMEOUT_SECONDS: 2 }, { BUILD_SECONDS: '600' }, 'BUILD_FAILED'],
  ['DEPLOYING', { SLIPWAY_DEPLOY_TIMEOUT_SECONDS: 1 }, { START_HANGS: 'yes' }, 'DEPLOY_FAILED'],
])('%s ends when its time is over, and nothing of it goes on', (_status, patience, environment, end) =>
  within(patience, async () => {
    const { json } = await api.post('/v2/deployments', body(environment));
    expect(await reaches(json.id, json.latest_revision_id, end)).toBe('timed out');
    await until('nothing builds', () => plane.builder.running === 0);
    expect(await plane.driver.ask(json.latest_revision_id)).toBeUndefined();
  }),
);

test('a deployment is reconciled when its latest and active revisions are', async () => {
  const { json } = await api.post('/v2/deployments', body({ BUILD_UNTIL: 'it was looked at' }));
  const { id, latest_revision_id: first } = json;
  const reconciled = async () => (await api.get(`/v2/deployments/${id}`)).json.remote_reconciled;
  const listed = async (value: boolean) =>
    (await api.get(`/v2/deployments?name=${json.name}&remote_reconciled=${value}`)).json.resources.length;
  expect(json.remote_reconciled).toBe(false);
  plane.builder.release('it was looked at');
  await reaches(id, first, 'DEPLOYED');
  expect([await reconciled(), await listed(true), await listed(false)]).toEqual([true, 1, 0]);

  const { secrets } = body({ BUILD_UNTIL: 'it was looked at again', BUILD_FAILS: 'no such package' });
  const patched = await api.patch(`/v2/deployments/${id}`, { secrets });
  expect(patched.json.remote_reconciled).toBe(false);
  plane.builder.release('it was looked at again');
  await reaches(id, patched.json.latest_revision_id, 'BUILD_FAILED');
  // A revision that has failed needs no further work.
  expect(await reconciled()).toBe(true);

  await stepRevision(plane.deps.db, first, 'UNKNOWN', 'its host is silent');
  expect([await reconciled(), await listed(false)]).toEqual([false, 1]);
  await stepRevision(plane.deps.db, first, 'DEPLOYED', 'its host is back');
  expect(await reconciled()).toBe(true);
});
