import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import {
  createDeployment,
  patchDeployment,
  removeDeployment,
} from '../../src/control-plane/deployments/deployment-service.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { recoverLostRevisions } from '../../src/control-plane/revisions/lost-revisions.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
const now = { forSeconds: 0 };
let api: Caller;
let principal: { tenant_id: string; name: string; role: 'deployer' };
let names = 0;

beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
  principal = { tenant_id: plane.tenant, name: 'somebody', role: 'deployer' };
});

/** The API when Temporal cannot be reached: everything is committed, but no workflow is signalled. */
async function withoutTemporal() {
  const connection = await NativeConnection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const client = new Client({ connection, namespace: `missing-${randomUUID()}` });
  await connection.close();
  const workflows = new DeploymentWorkflows({ client, taskQueue: 'a', buildQueue: 'b', deadlineMs: 500 });
  return { ...plane.deps, workflows };
}

const body = (environment: Record<string, string> = {}) => ({
  name: `lost-${++names}`,
  source: 'git_host' as const,
  source_config: { repo_url: 'https://git.example.com/acme/agent.git' },
  source_revision_config: { repo_ref: 'main' },
  secrets: Object.entries(environment).map(([name, value]) => ({ name, value })),
});

/** One pass of the sweep. */
const sweep = () =>
  plane.client.workflow.execute('sweepRevisions', {
    taskQueue: plane.taskQueue,
    workflowId: `sweep-${randomUUID()}`,
  });

const statuses = async (id: string) =>
  (await api.get(`/v2/deployments/${id}/revisions`)).json.resources.map(
    ({ status }: { status: string }) => status,
  );

test('adopts a committed revision without a workflow; skips those it superseded', async () => {
  const deps = await withoutTemporal();
  const create = body();
  await expect(createDeployment(deps, principal, create)).rejects.toThrow('cannot be reached');
  const { json } = await api.get(`/v2/deployments?name=${create.name}`);
  const { id } = json.resources[0];
  const patch = { source_revision_config: { repo_ref: 'second' } };
  await expect(patchDeployment(deps, principal, id, patch)).rejects.toThrow('cannot be reached');
  expect(await statuses(id)).toEqual(['CREATING', 'CREATING']);
  await sweep();
  await api.until(`/v2/deployments/${id}`, (answer) => answer.json.active_revision_id !== null);
  expect(await statuses(id)).toEqual(['DEPLOYED', 'SKIPPED']);
  expect(await recoverLostRevisions(plane.deps, now)).toBe(0);
});

test('leaves revisions in progress alone', async () => {
  const { json } = await api.post('/v2/deployments', body({ BUILD_UNTIL: 'it was let be' }));
  const path = `/v2/deployments/${json.id}/revisions/${json.latest_revision_id}`;
  await api.until(path, (answer) => answer.json.status === 'BUILDING');
  const queued = await api.patch(`/v2/deployments/${json.id}`, {
    source_revision_config: { repo_ref: 'next' },
  });
  const next = `/v2/deployments/${json.id}/revisions/${queued.json.latest_revision_id}`;
  await api.until(next, (answer) => answer.json.status === 'QUEUED');
  expect(await recoverLostRevisions(plane.deps, now)).toBe(0);
  plane.builder.release('it was let be');
  await api.until(next, (answer) => answer.json.status === 'DEPLOYED');
  expect(await statuses(json.id)).toEqual(['DEPLOYED', 'DEPLOYED']);
});

test('a revision whose workflow was terminated fails, and the next one continues', async () => {
  const { json } = await api.post('/v2/deployments', body({ BUILD_UNTIL: 'never' }));
  const { id, latest_revision_id } = json;
  const path = `/v2/deployments/${id}/revisions/${latest_revision_id}`;
  await api.until(path, (answer) => answer.json.status === 'BUILDING');
  const { workflow } = plane.client;
  await workflow.getHandle(`revision/${latest_revision_id}`).terminate('an operator');
  await api.until(path, (answer) => answer.json.status === 'BUILD_FAILED');
  const patched = await api.patch(`/v2/deployments/${id}`, { secrets: body({ GREETING: 'again' }).secrets });
  await api.until(
    `/v2/deployments/${id}/revisions/${patched.json.latest_revision_id}`,
    (answer) => answer.json.status === 'DEPLOYED',
  );
});

test('resumes a deletion without a workflow', async () => {
  const { json } = await api.post('/v2/deployments', body());
  await api.until(`/v2/deployments/${json.id}`, (answer) => answer.json.active_revision_id !== null);
  const deps = await withoutTemporal();
  await expect(removeDeployment(deps, principal, json.id)).rejects.toThrow('cannot be reached');
  expect((await api.get(`/v2/deployments/${json.id}`)).json.status).toBe('AWAITING_DELETE');
  const refused = await api.patch(`/v2/deployments/${json.id}`, { display_name: 'too late' });
  expect(refused.status).toBe(409);
  await sweep();
  await api.until(`/v2/deployments/${json.id}`, ({ status }) => status === 404);
});
