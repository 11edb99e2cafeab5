import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
let api: Caller;
let id: string;
let path: string;

beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
  const { json } = await api.post('/v2/deployments', {
    name: 'listed',
    source: 'external_container',
    source_config: {},
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [],
  });
  id = json.id;
  path = `/v2/deployments/${id}/revisions`;
  // A revision that has not started would be skipped.
  await api.until(`/v2/deployments/${id}`, (answer) => answer.json.active_revision_id !== null);
  for (let number = 2; number <= 23; number++) {
    const { status } = await api.patch(`/v2/deployments/${id}`, {
      source_revision_config: { image_uri: `registry.example.com/agent:${number}` },
    });
    expect(status).toBe(200);
  }
  await api.until(`/v2/deployments/${id}`, ({ json }) => json.active_revision_id === json.latest_revision_id);
});

test('newest first, 20 by default, with the offset of the next page', async () => {
  const first = await api.get(path);
  expect(first.status).toBe(200);
  expect(Object.keys(first.json).sort()).toEqual(['offset', 'resources']);
  expect(first.json.resources).toHaveLength(20);
  expect(first.json.offset).toBe(20);
  expect(first.json.resources[0].source_revision_config.image_uri).toBe('registry.example.com/agent:23');
  const second = await api.get(`${path}?offset=${first.json.offset}`);
  expect(second.json.resources).toHaveLength(3);
  expect(second.json.offset).toBe(23);
  const ids = [...first.json.resources, ...second.json.resources].map((revision) => revision.id);
  expect(new Set(ids).size).toBe(23);
  expect((await api.get(`${path}?offset=23`)).json).toEqual({ resources: [], offset: 23 });
});

test('a revision has every field that the OpenAPI document requires', async () => {
  const { json } = await api.get(`${path}?limit=1`);
  const [revision] = json.resources;
  expect(revision).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    status: 'DEPLOYED',
    source: 'external_container',
    source_revision_config: {
      repo_ref: null,
      graph_config_path: null,
      image_uri: 'registry.example.com/agent:23',
      repo_commit_sha: null,
    },
  });
  expect((await api.get(`${path}/${revision.id}`)).json).toEqual(revision);
});

test('filters by a list of statuses', async () => {
  const count = async (query: string) => (await api.get(`${path}?limit=100&${query}`)).json.resources.length;
  const deployed = await count('status=DEPLOYED');
  const skipped = await count('status=SKIPPED');
  expect(deployed).toBeGreaterThanOrEqual(2);
  expect(deployed + skipped).toBe(23);
  expect(await count('status=DEPLOYED,SKIPPED')).toBe(23);
  expect(await count('status=DEPLOYED,%20SKIPPED,')).toBe(23);
  expect(await count('status=')).toBe(23);
  expect(await count('status=BUILDING')).toBe(0);
});

test('filters by whether the data plane has caught up', async () => {
  const states = async (reconciled: boolean) =>
    (await api.get(`${path}?limit=100&remote_reconciled=${reconciled}`)).json.resources.length;
  expect(await states(true)).toBe(23);
  expect(await states(false)).toBe(0);
});

test('unknown parameters are ignored', async () => {
  expect((await api.get(`${path}?limit=1&page=7&sort=asc`)).json.resources).toHaveLength(1);
});

describe('422 lists each problem with its location', () => {
  test.each([
    ['limit=0', ['query', 'limit'], 'greater_than_equal'],
    ['limit=101', ['query', 'limit'], 'less_than_equal'],
    ['limit=many', ['query', 'limit'], 'type_error'],
    ['limit=1.5', ['query', 'limit'], 'type_error'],
    ['offset=-1', ['query', 'offset'], 'greater_than_equal'],
    ['status=DEPLOYED,GONE', ['query', 'status'], 'enum'],
    ['status=deployed', ['query', 'status'], 'enum'],
    ['remote_reconciled=maybe', ['query', 'remote_reconciled'], 'type_error'],
  ])('%s', async (query, loc, type) => {
    const { status, json } = await api.get(`${path}?${query}`);
    expect(status).toBe(422);
    expect(json).toEqual({ detail: [{ loc, msg: expect.any(String), type }] });
  });

  test('an invalid id', async () => {
    const { status, json } = await api.get('/v2/deployments/seven/revisions');
    expect(status).toBe(422);
    expect(json.detail[0]).toMatchObject({ loc: ['path', 'deployment_id'], type: 'string_format' });
  });
});

test('404 names the missing deployment, also for another tenant’s', async () => {
  const unknown = randomUUID();
  const { status, json } = await api.get(`/v2/deployments/${unknown}/revisions`);
  expect(status).toBe(404);
  expect(json).toEqual({ detail: `Deployment ID ${unknown} not found.` });
  const other = new Caller(plane.url, { 'x-api-key': await plane.key('admin', randomUUID()) });
  for (const address of [path, `/v2/deployments/${id}`, `${path}/${randomUUID()}`])
    expect((await other.get(address)).json).toEqual({ detail: `Deployment ID ${id} not found.` });
  const revision = randomUUID();
  expect((await api.get(`${path}/${revision}`)).json).toEqual({
    detail: `Revision ID ${revision} not found.`,
  });
});
