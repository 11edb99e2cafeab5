import { beforeAll, expect, test } from '@jest/globals';
import { CanaryWork } from '../../activities/deployments/canary-work.ts';
import { listTraffic, replaceTraffic } from '../../src/control-plane/gateway/traffic-repository.ts';
import { noteSharesByHand, openCanary } from '../../src/control-plane/records/canary-repository.ts';
import { findServing, setDeploymentStatus } from '../../src/control-plane/records/deployment-repository.ts';
import { reviseDeployment } from '../../src/control-plane/revisions/revise-deployment.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import type { Queryable } from '../../src/platform/db/database.ts';
import { behindLocks } from '../support/behind-locks.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

// Anything that reaches Temporal can start workflows and send signals, so activities check their arguments in Postgres.
const plane = useControlPlane();
let api: Caller;
let admin: Caller;
let work: RevisionWork;
let names = 0;

beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
  admin = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
  const { deps, builder, driver } = plane;
  work = new RevisionWork({ ...deps, builder, driver });
});

async function create(more: object = {}, status = 'DEPLOYED'): Promise<{ id: string; revision: string }> {
  const { json } = await api.post('/v2/deployments', {
    name: `forged-${++names}`,
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/agents/agent.git', ...more },
    source_revision_config: { repo_ref: 'main' },
    secrets: status === 'BUILD_FAILED' ? [{ name: 'BUILD_FAILS', value: 'yes' }] : [],
  });
  const { id, latest_revision_id: revision } = json as { id: string; latest_revision_id: string };
  await reaches(id, revision, status);
  return { id, revision };
}
const reaches = (id: string, revision: string, status: string) =>
  api.until(`/v2/deployments/${id}/revisions/${revision}`, ({ json }) => json.status === status);
const next = async (id: string): Promise<string> => {
  const patch = { source_revision_config: { repo_ref: `next-${++names}` } };
  const revision = (await api.patch(`/v2/deployments/${id}`, patch)).json.latest_revision_id as string;
  await reaches(id, revision, 'DEPLOYED');
  return revision;
};
const serving = async (id: string) => (await api.get(`/v2/deployments/${id}`)).json.active_revision_id;
const audited = async (target: string) =>
  (await admin.get(`/v2/audit?target=${target}`)).json.resources.map(
    ({ action, actor }: { action: string; actor: string }) => [action, actor],
  );

test('revisions that are of another deployment, failed or replaced take no traffic', async () => {
  const [mine, theirs] = [await create(), await create()];
  const failed = await create({}, 'BUILD_FAILED');
  await expect(work.cutOver(mine.id, theirs.revision)).rejects.toThrow('not found');
  await expect(work.cutOver(failed.id, failed.revision)).rejects.toThrow('is BUILD_FAILED');
  const second = await next(mine.id);
  await expect(work.cutOver(mine.id, mine.revision)).rejects.toThrow('cannot be made active');
  expect([await serving(mine.id), await serving(theirs.id)]).toEqual([second, theirs.revision]);
  expect(await audited(`revision/${second}`)).toEqual([['cutOver', 'platform']]);
});

test('a deployment is not erased without a deletion request, and keeps serving', async () => {
  const { id, revision } = await create();
  await expect(work.erase(id)).rejects.toThrow('is not being deleted');
  await plane.deps.workflows.remove(id);
  const second = await next(id);
  expect(await serving(id)).toBe(second);
  expect(revision).not.toBe(second);
  expect(plane.driver.erased).not.toContain(id);
  expect((await api.delete(`/v2/deployments/${id}`)).status).toBe(204);
  await api.until(`/v2/deployments/${id}`, ({ status }) => status === 404);
  expect((await audited(`deployment/${id}`)).slice(0, 2)).toEqual([
    ['eraseDeployment', 'platform'],
    ['deleteDeployment', 'a deployer'],
  ]);
  await expect(work.erase(id)).resolves.toBeUndefined();
});

test('a deployment that is being deleted cannot be revived', async () => {
  const { id, revision } = await create();
  await setDeploymentStatus(plane.deps.db, id, 'AWAITING_DELETE');
  await expect(work.cutOver(id, revision)).rejects.toThrow('is being deleted');
  await expect(work.deploy(revision, new AbortController().signal)).rejects.toThrow('is being deleted');
  expect((await api.get(`/v2/deployments/${id}`)).json.status).toBe('AWAITING_DELETE');
  await work.erase(id);
});

test('a workflow cannot forge a work step, or a step of another deployment’s revision', async () => {
  const { id, revision } = await create({ requires_approval: true }, 'AWAITING_DEPLOY');
  const other = await create();
  for (const status of ['DEPLOYING', 'DEPLOYED', 'BUILDING', 'UNKNOWN', 'WELL'])
    await expect(work.step(revision, status)).rejects.toThrow('is AWAITING_DEPLOY');
  expect(await work.step(revision, 'INTERRUPTED', 'forged', other.id)).toBe('AWAITING_DEPLOY');
  await plane.deps.workflows.interrupt(other.id, revision);
  await next(other.id);
  expect((await api.get(`/v2/deployments/${id}/revisions/${revision}`)).json.status).toBe('AWAITING_DEPLOY');
});

test('ended and unapproved revisions are neither built nor deployed', async () => {
  const { signal } = new AbortController();
  const failed = await create({}, 'BUILD_FAILED');
  await expect(work.build(failed.revision, signal)).rejects.toThrow('is BUILD_FAILED, and cannot be built');
  await expect(work.deploy(failed.revision, signal)).rejects.toThrow('is BUILD_FAILED');
  const waiting = await create({ requires_approval: true }, 'AWAITING_DEPLOY');
  await expect(work.deploy(waiting.revision, signal)).rejects.toThrow('must be approved');
});

test('an approval counts only for the person recorded by the API', async () => {
  const byName = await create({ requires_approval: true }, 'AWAITING_DEPLOY');
  await plane.deps.workflows.approve(byName.revision, 'ada');
  await reaches(byName.id, byName.revision, 'DEPLOYED');
  const approvals = async ({ revision }: { revision: string }) =>
    (await audited(`revision/${revision}`)).filter(([action]: string[]) => action === 'approveRevision');
  expect(await approvals(byName)).toEqual([['approveRevision', 'an operator of Temporal']]);
  const byApi = await create({ requires_approval: true }, 'AWAITING_DEPLOY');
  const path = `/v2/deployments/${byApi.id}/revisions/${byApi.revision}/approve`;
  expect((await admin.post(path)).status).toBeLessThan(300);
  await reaches(byApi.id, byApi.revision, 'DEPLOYED');
  expect(await approvals(byApi)).toEqual([['approveRevision', 'a admin']]);
});

test('a canary takes only the shares of its plan, and none once aborted', async () => {
  const { id, revision } = await create();
  const second = await next(id);
  const { db } = plane.deps;
  const canaries = new CanaryWork(plane.deps);
  const plan = { steps: [{ percent: 10, minutes: null }] };
  await db.query(`insert into control_plane.canary (revision_id, deployment_id, plan) values ($1, $2, $3)`, [
    revision,
    id,
    JSON.stringify(plan),
  ]);
  await expect(canaries.share(revision, 100, false)).rejects.toThrow('100 % is not a step');
  await db.query(`update control_plane.canary set state = 'aborted' where revision_id = $1`, [revision]);
  await canaries.end(revision, 'promoted', 'forged');
  expect(await serving(id)).toBe(second);
  await db.query(`update control_plane.revision set canary = $2 where id = $1`, [
    revision,
    JSON.stringify(plan),
  ]);
  await expect(canaries.begin(revision)).rejects.toThrow('cannot be run as a canary');
});

test('a share set by hand survives a first step that began before it', async () => {
  const { id, revision } = await create();
  await next(id);
  const { db } = plane.deps;
  const plan = { steps: [{ percent: 0, minutes: null }], guard: {} };
  await openCanary(db, { revision_id: revision, deployment_id: id, plan });
  const share = async (tx: Queryable) => {
    await findServing(tx, id);
    await replaceTraffic(tx, id, [{ revision_id: revision, percent: 100 }]);
    await noteSharesByHand(tx, id);
  };
  await behindLocks(db, share, [() => new CanaryWork(plane.deps).share(revision, 0, true)]);
  expect(await listTraffic(db, id)).toEqual([{ revision_id: revision, percent: 100 }]);
});

test('a revision is created only from a draft with the same input', async () => {
  const [mine, theirs] = [await create(), await create()];
  const { rows } = await plane.deps.db.query<{ tenant_id: string }>(
    'select tenant_id from control_plane.deployment where id = $1',
    [mine.id],
  );
  const draft = { deployment_id: theirs.id, tenant_id: rows[0]!.tenant_id, seed: 'w/{}/0' };
  const made = reviseDeployment(plane.deps, { deployment_id: mine.id }, draft, 'w');
  await expect(made).rejects.toThrow('does not belong to this input');
  expect(await serving(theirs.id)).toBe(theirs.revision);
});
