import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
const LIST = '/v2/deployments';
const other = async () => new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });

test('creates, reads, changes and deletes listeners; images of their tenant can name one', async () => {
  const tenant = new Caller(plane.url, { 'x-api-key': await plane.key('deployer', randomUUID()) });
  const body = { compute_type: 'k8s', compute_id: 'cluster', compute_config: { k8s_namespaces: ['agents'] } };
  const { status, json } = await tenant.post('/v2/listeners', body);
  expect(status).toBe(201);
  expect(json).toMatchObject({ version: null, ...body });
  expect((await tenant.post('/v2/listeners', body)).status).toBe(409);
  expect((await tenant.post('/v2/listeners', { ...body, compute_type: 'vm' })).status).toBe(422);
  const path = `/v2/listeners/${json.id}`;
  expect((await tenant.patch(path, { version: '1.2', compute_id: 'other' })).json).toMatchObject({
    ...body,
    version: '1.2',
  });
  expect((await tenant.get('/api-host/v2/listeners')).json).toMatchObject({
    resources: [{ id: json.id }],
    offset: 1,
  });
  expect((await (await other()).get(path)).status).toBe(404);
  const image = (listener_id?: string) => ({
    name: 'on-cluster',
    source: 'external_container',
    source_config: { listener_id },
    source_revision_config: { image_uri: 'registry.example.com/a@sha256:0' },
  });
  const refused = await tenant.post(LIST, image());
  expect(refused.status).toBe(400);
  expect(refused.json.detail).toContain("listener_id' is required");
  expect((await tenant.post(LIST, image(randomUUID()))).status).toBe(422);
  expect((await tenant.post(LIST, image(json.id))).status).toBe(201);
  expect((await tenant.delete(path)).status).toBe(204);
  expect((await tenant.get(path)).status).toBe(404);
});
