import { beforeAll, describe, expect, test } from '@jest/globals';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import { RevisionWork } from '../../activities/deployments/revision-work.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';
import { takesLess } from '../support/takes-less.ts';
import { until } from '../support/until.ts';

const plane = useControlPlane();
let api: Caller;
let names = 0;

beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
});

const secrets = (environment: Record<string, string>) =>
  Object.entries(environment).map(([name, value]) => ({ name, value }));

/** A new deployment from a git repository; its environment decides how its build ends. */
async function create(environment: Record<string, string> = {}) {
  const { status, json } = await api.post('/v2/deployments', {
    name: `agent-${++names}`,
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/agents/agent.git', build_on_push: false },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: secrets(environment),
  });
  expect(status).toBe(201);
  return json as { id: string; latest_revision_id: string };
}

const revisionPath = (id: string, revision: string) => `/v2/deployments/${id}/revisions/${revision}`;
const reaches = (id: string, revision: string, status: string) =>
  api.until(revisionPath(id, revision), ({ json }) => json.status === status);

async function patch(id: string, repo_ref: string): Promise<string> {
  const { status, json } = await api.patch(`/v2/deployments/${id}`, { source_revision_config: { repo_ref } });
  expect(status).toBe(200);
  return json.latest_revision_id;
}

test('goes from created to deployed; the revision responds, and the deployment has its URL', async () => {
  const { id, latest_revision_id } = await create({ GREETING: 'hello' });
  const { json } = await reaches(id, latest_revision_id, 'DEPLOYED');
  expect(json.source_revision_config.repo_commit_sha).toMatch(/^[0-9a-f]{40}$/);
  expect(json.status_message).toBeNull();
  const deployment = (await api.get(`/v2/deployments/${id}`)).json;
  expect(deployment).toMatchObject({
    status: 'READY',
    active_revision_id: latest_revision_id,
    remote_reconciled: true,
    source_config: { custom_url: expect.stringContaining(id), build_on_push: false },
    source_revision_config: { repo_ref: 'main' },
    secrets: [{ name: 'GREETING', value: null }],
  });
  expect(await plane.driver.ask(latest_revision_id)).toMatchObject({ ok: true, greeting: 'hello' });
  const timeline = (await api.get(`${revisionPath(id, latest_revision_id)}/timeline`)).json;
  expect(timeline).toMatchObject({ created_by: 'a deployer', reason: 'created with the deployment' });
  expect(timeline.steps.map(({ status }: { status: string }) => status)).toEqual([
    'CREATING',
    'AWAITING_BUILD',
    'BUILDING',
    'AWAITING_DEPLOY',
    'DEPLOYING',
    'DEPLOYED',
  ]);
  expect(timeline.steps[0].duration_ms).toBeGreaterThan(0);
  expect(timeline.steps[5].duration_ms).toBeNull();
});

test('an image is deployed without a build', async () => {
  const { json } = await api.post('/v2/deployments', {
    name: `image-${++names}`,
    source: 'external_container',
    source_config: { resource_spec: { cpu: 1 } },
    source_revision_config: { image_uri: 'registry.example.com/agent@sha256:0' },
    secrets: [],
  });
  await reaches(json.id, json.latest_revision_id, 'DEPLOYED');
  const { steps } = (await api.get(`${revisionPath(json.id, json.latest_revision_id)}/timeline`)).json;
  expect(steps.map(({ status }: { status: string }) => status)).not.toContain('BUILDING');
  expect(plane.builder.built).not.toContain(json.latest_revision_id);
});

test('of three revisions in a row the first completes, the second is skipped and the newest deployed', async () => {
  const { id, latest_revision_id: first } = await create({ BUILD_UNTIL: 'three are made' });
  await reaches(id, first, 'BUILDING');
  const second = await patch(id, 'second');
  await reaches(id, second, 'QUEUED');
  const third = await patch(id, 'third');
  plane.builder.release('three are made');
  await reaches(id, third, 'DEPLOYED');
  const { json } = await api.get(`/v2/deployments/${id}/revisions`);
  expect(json.resources.map(({ status }: { status: string }) => status)).toEqual([
    'DEPLOYED',
    'SKIPPED',
    'DEPLOYED',
  ]);
  expect(json.resources[1].status_message).toBe(`superseded by ${third}`);
  expect((await api.get(`/v2/deployments/${id}`)).json.active_revision_id).toBe(third);
  // The replaced revision is ending, so a request at that moment may break off.
  const answers = () => plane.driver.ask(first).catch(() => true);
  await until('the first is gone', async () => (await answers()) === undefined);
  expect(await plane.driver.ask(third)).toMatchObject({ ok: true });
});

test('a repeated traffic switch still names the replaced revision', async () => {
  const { id, latest_revision_id: first } = await create();
  await reaches(id, first, 'DEPLOYED');
  const second = await patch(id, 'second');
  await reaches(id, second, 'DEPLOYED');
  const { deps, builder, driver } = plane;
  const work = new RevisionWork({ ...deps, builder, driver });
  await expect(work.cutOver(id, second)).resolves.toBe(first);
  expect((await api.get(`/v2/deployments/${id}`)).json.active_revision_id).toBe(second);
});

describe('interrupt', () => {
  test.each([
    ['', '/v2/deployments', 'interrupt'],
    ['/api-host', '/v2/deployments', 'interrupt'],
    ['', '/v1/projects', 'interrupt'],
    ['/api-host', '/v1/projects', 'interrupt'],
  ])('%s%s stops the build within 5 s, frees the place, and leaves what serves', (mount, collection) =>
    takesLess(5_000, async () => {
      const { id, latest_revision_id: first } = await create();
      await reaches(id, first, 'DEPLOYED');
      const { json } = await api.patch(`/v2/deployments/${id}`, {
        secrets: secrets({ BUILD_SECONDS: '600' }),
      });
      const second = json.latest_revision_id;
      await reaches(id, second, 'BUILDING');
      await until('it builds', () => plane.builder.running === 1);
      const address = `${mount}${collection}/${id}/revisions/${second}/interrupt`;
      const started = Date.now();
      expect((await api.post(address)).status).toBe(200);
      const stopped = await reaches(id, second, 'INTERRUPTED');
      const took = Date.now() - started;
      expect(stopped.json.status_message).toBe('interrupted');
      await until('nothing builds', () => plane.builder.running === 0);
      // Repeating it changes nothing; it is refused if the revision ended otherwise.
      expect((await api.post(address)).status).toBe(200);
      expect((await api.post(`${mount}${collection}/${id}/revisions/${first}/interrupt`)).status).toBe(400);
      expect((await api.get(`/v2/deployments/${id}`)).json.active_revision_id).toBe(first);
      expect(await plane.driver.ask(first)).toMatchObject({ ok: true });
      return took;
    }),
  );

  test('stops a waiting revision, and the next one continues', async () => {
    const { id, latest_revision_id: first } = await create({ BUILD_UNTIL: 'the next is stopped' });
    await reaches(id, first, 'BUILDING');
    const second = await patch(id, 'second');
    await reaches(id, second, 'QUEUED');
    await api.post(`${revisionPath(id, second)}/interrupt`);
    await reaches(id, second, 'INTERRUPTED');
    plane.builder.release('the next is stopped');
    await reaches(id, first, 'DEPLOYED');
  });
});

describe('redeploy', () => {
  test('creates a revision from an existing build, with its environment', async () => {
    const { id, latest_revision_id: first } = await create({ GREETING: 'one', OWN_AUTH: 'yes' });
    await reaches(id, first, 'DEPLOYED');
    const { json: patched } = await api.patch(`/v2/deployments/${id}`, {
      secrets: secrets({ GREETING: 'two' }),
    });
    await reaches(id, patched.latest_revision_id, 'DEPLOYED');
    const built = plane.builder.built.length;
    const { status, json } = await api.post(`${revisionPath(id, first)}/redeploy`);
    expect(status).toBe(200);
    expect(json.id).toBe(id);
    const third = json.latest_revision_id;
    expect([first, patched.latest_revision_id]).not.toContain(third);
    const { json: revision } = await reaches(id, third, 'DEPLOYED');
    expect(revision.reason).toBe('redeploy of revision 1');
    expect(plane.builder.built).toHaveLength(built);
    const ownAuth = async (revision: string) => (await findRevision(plane.deps.db, revision))!.own_auth;
    expect([await ownAuth(first), await ownAuth(patched.latest_revision_id), await ownAuth(third)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await plane.driver.ask(third)).toMatchObject({ greeting: 'one' });
  });

  test('refuses a revision that was never built', async () => {
    const { id, latest_revision_id } = await create({ BUILD_FAILS: 'no such package: left-pad' });
    await reaches(id, latest_revision_id, 'BUILD_FAILED');
    const { status, json } = await api.post(`${revisionPath(id, latest_revision_id)}/redeploy`);
    expect(status).toBe(400);
    expect(json.detail).toContain('it was never built');
  });

  test('the older route accepts only the latest revision, once it is deployed', async () => {
    const { id, latest_revision_id: first } = await create();
    await reaches(id, first, 'DEPLOYED');
    const second = await patch(id, 'second');
    await reaches(id, second, 'DEPLOYED');
    const deploy = (revision: string) => api.post(`/v1/projects/${id}/revisions/${revision}/deploy`);
    expect((await deploy(first)).status).toBe(400);
    const { status, json } = await deploy(second);
    expect(status).toBe(200);
    await reaches(id, json.id, 'DEPLOYED');
  });
});

describe('a failure', () => {
  test('of the build is reported with its logs, and the active revision stays', async () => {
    const { id, latest_revision_id: first } = await create();
    await reaches(id, first, 'DEPLOYED');
    const { json } = await api.patch(`/v2/deployments/${id}`, {
      secrets: secrets({ BUILD_FAILS: 'no such package: left-pad' }),
    });
    const failed = await reaches(id, json.latest_revision_id, 'BUILD_FAILED');
    expect(failed.json.status_message).toBe('no such package: left-pad');
    const logs = await api.post(`/v1/projects/${id}/revisions/${json.latest_revision_id}/build_logs`, {
      order: 'asc',
      level: 'error',
    });
    expect(logs.json.logs.map(({ message }: { message: string }) => message)).toEqual([
      'no such package: left-pad',
    ]);
    expect((await api.get(`/v2/deployments/${id}`)).json.active_revision_id).toBe(first);
    expect(await plane.driver.ask(first)).toMatchObject({ ok: true });
  });

  test('of the start is reported with the last output', async () => {
    const { id, latest_revision_id } = await create({ START_FAILS: 'yes' });
    const failed = await reaches(id, latest_revision_id, 'DEPLOY_FAILED');
    expect(failed.json.status_message).toBe('It ended with 1 before it answered');
    const { json } = await api.post(`/v1/projects/${id}/deploy_logs`, { query: 'MODEL KEY' });
    expect(json.logs).toMatchObject([{ level: 'error', message: 'the model key is missing' }]);
    expect((await api.get(`/v2/deployments/${id}`)).json.active_revision_id).toBeNull();
  });
});

test('a revision in progress waits if the platform starts to require approval', async () => {
  const { config } = plane.deps;
  const { id, latest_revision_id } = await create({ BUILD_UNTIL: 'approval is required' });
  await reaches(id, latest_revision_id, 'BUILDING');
  config.SLIPWAY_REQUIRE_APPROVAL = true;
  try {
    plane.builder.release('approval is required');
    const path = revisionPath(id, latest_revision_id);
    await api.until(path, ({ json }) => json.status_message === 'waiting for approval');
    expect((await api.post(`${path}/approve`)).status).toBe(200);
    await reaches(id, latest_revision_id, 'DEPLOYED');
  } finally {
    config.SLIPWAY_REQUIRE_APPROVAL = false;
  }
});

test('a deleted deployment can be read until everything of it is gone', async () => {
  const { id, latest_revision_id } = await create({ BUILD_SECONDS: '600' });
  await reaches(id, latest_revision_id, 'BUILDING');
  expect((await api.delete(`/v2/deployments/${id}`)).status).toBe(204);
  await api.until(`/v2/deployments/${id}`, ({ status }) => status === 404);
  expect(plane.driver.erased).toContain(id);
});
