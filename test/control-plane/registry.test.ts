import { randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sweepBuilds } from '../../src/control-plane/maintenance/sweep-builds.ts';
import { filesOf, ImageFolders } from '../../src/control-plane/registry/image-folders.ts';
import { imageToPull } from '../../src/control-plane/registry/pushed-image.ts';
import { ImageRegistry } from '../../src/control-plane/registry/registry.ts';
import { issueRegistryToken } from '../../src/control-plane/registry/registry-token.ts';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { until } from '../support/until.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';
import { DOCKER_MANIFEST, digestOf, OCI_INDEX, OCI_MANIFEST, RegistryClient } from './registry-client.ts';

const LAYER_LIMIT = 1_000_000;
const LIMIT = 3_000_000;
const plane = useControlPlane({
  SLIPWAY_REGISTRY_LAYER_LIMIT_BYTES: String(LAYER_LIMIT),
  SLIPWAY_REGISTRY_LIMIT_BYTES: String(LIMIT),
});
/** Registry address in image names. */
let host: string;
let dataDir: string;
let server: Server;
let url: string;
let api: Caller;

beforeAll(async () => {
  ({ host } = new URL(plane.deps.config.SLIPWAY_PUBLIC_URL));
  dataDir = plane.deps.config.SLIPWAY_DATA_DIR;
  const registry = new ImageRegistry(plane.deps);
  server = createServer((request, response) => void registry.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A deployment for pushed images, with an authorized client. */
async function pushable(caller = api) {
  const body = { name: `pushed-${randomUUID()}`, source: 'internal_container' };
  const { id } = (await caller.post('/v2/deployments', body)).json as { id: string };
  const { json: push } = await caller.post(`/v2/deployments/${id}/push-token`);
  const repository = push.repository_url.slice(host.length + 1) as string;
  const patch = (image_uri?: string) =>
    caller.patch(`/v2/deployments/${id}`, { source_revision_config: { image_uri }, secrets: [] });
  return { id, push, repository, patch, client: new RegistryClient(url, repository, push.token) };
}
const tokenFor = (
  deployment_id: string,
  can: 'push' | 'pull',
  expires_at: number | null,
  box = plane.deps.box,
) => issueRegistryToken(box, { deployment_id, can, expires_at });

test('push-token returns the registry URL, and a token for it only', async () => {
  const { id, push, repository, client } = await pushable();
  expect(push).toEqual({
    token: expect.any(String),
    username: 'slipway',
    registry_url: `${host}/d/${id}`,
    repository_url: expect.stringMatching(`^${host}/d/${id}/pushed-[0-9a-f-]+$`),
  });
  const challenge = await fetch(`${url}/v2/`);
  expect(challenge.status).toBe(401);
  expect(challenge.headers.get('www-authenticate')).toBe('Basic realm="slipway registry"');
  expect(challenge.headers.get('docker-distribution-api-version')).toBe('registry/2.0');
  expect(await challenge.json()).toEqual({
    errors: [{ code: 'UNAUTHORIZED', message: expect.any(String), detail: null }],
  });
  expect((await client.send('GET', '/v2/')).status).toBe(200);
  expect(await client.send('GET', '/v2/_catalog')).toMatchObject({ status: 403, codes: ['DENIED'] });
  expect(repository.startsWith(`d/${id}/`)).toBe(true);
});

test('forged, expired, pull-only and foreign tokens are refused', async () => {
  const mine = await pushable();
  const other = await pushable(
    new Caller(plane.url, { 'x-api-key': await plane.key('deployer', randomUUID()) }),
  );
  const digest = await mine.client.pushImage('latest', 'mine alone');
  const asked = (token: string, method = 'GET', path = `manifests/${digest}`) =>
    new RegistryClient(url, mine.repository, token).send(method, path);
  const forged = new SealedBox(['another key altogether']);
  for (const token of [
    '',
    'a token',
    tokenFor(mine.id, 'push', null, forged),
    tokenFor(mine.id, 'push', Date.now() - 1),
  ])
    expect(await asked(token)).toMatchObject({ status: 401, codes: ['UNAUTHORIZED'] });
  // The same response for another tenant's images as for missing ones.
  const theirs = tokenFor(other.id, 'push', null);
  for (const [method, path] of [
    ['GET', `manifests/${digest}`],
    ['GET', 'manifests/nothing'],
    ['GET', 'tags/list'],
    ['POST', 'blobs/uploads/'],
  ] as const)
    expect(await asked(theirs, method, path)).toMatchObject({ status: 403, codes: ['DENIED'] });
  const blob = digestOf('mine alone');
  expect((await mine.client.send('HEAD', `blobs/${blob}`)).status).toBe(200);
  expect((await other.client.send('HEAD', `blobs/${blob}`)).status).toBe(404);
  // Mounting it from elsewhere would allow reading it without having pushed it.
  const mount = await other.client.send('POST', `blobs/uploads/?mount=${blob}&from=${mine.repository}`);
  expect(mount.status).toBe(202);
  const pulls = tokenFor(mine.id, 'pull', null);
  expect((await asked(pulls)).status).toBe(200);
  expect(await asked(pulls, 'POST', 'blobs/uploads/')).toMatchObject({ status: 403, codes: ['DENIED'] });
});

test('path traversal in names, digests and ids fails', async () => {
  const { id, client } = await pushable();
  const digest = `sha256:${'0'.repeat(64)}`;
  for (const path of [
    `/v2/d/${id}/%2e%2e/${randomUUID()}/blobs/${digest}`,
    `/v2/d/${id}/../../blobs/${digest}`,
    `/v2/d/${id}/a/b/manifests/latest`,
    `/v2/d/${id.toUpperCase()}/manifests/latest`,
    `/v2/library/debian/manifests/latest`,
  ])
    expect((await client.send('GET', path)).status).not.toBe(200);
  for (const wrong of ['sha512:00', 'sha256:', `sha256:${'A'.repeat(64)}`])
    expect(await client.send('GET', `blobs/${wrong}`)).toMatchObject({
      status: 400,
      codes: ['DIGEST_INVALID'],
    });
  for (const wrong of ['.hidden', 'a'.repeat(129)])
    expect(await client.send('GET', `manifests/${wrong}`)).toMatchObject({ codes: ['MANIFEST_UNKNOWN'] });
  for (const [method, path] of [
    ['GET', 'blobs/sha256:..%2f..%2fapi-key'],
    ['GET', 'manifests/..%2f..%2fsecret-key'],
    ['PATCH', 'blobs/uploads/..%2f..%2fx'],
  ] as const)
    expect((await client.send(method, path)).codes).toHaveLength(1);
  expect(await client.send('PATCH', `blobs/uploads/${randomUUID()}`, 'x')).toMatchObject({
    status: 404,
    codes: ['BLOB_UPLOAD_UNKNOWN'],
  });
});

test('a blob is uploaded in one or several requests; one that does not match its digest is not kept', async () => {
  const { client, repository } = await pushable();
  const text = 'a layer of some length';
  const digest = digestOf(text);
  expect(await client.send('HEAD', `blobs/${digest}`)).toMatchObject({ status: 404 });
  // At once.
  const once = await client.send('POST', `blobs/uploads/?digest=${digestOf('at once')}`, 'at once');
  expect(once.status).toBe(201);
  expect(once.headers.get('location')).toBe(`/v2/${repository}/blobs/${digestOf('at once')}`);
  // In chunks, with the range of each.
  const { headers } = await client.send('POST', 'blobs/uploads/');
  const location = headers.get('location')!;
  const chunk = (from: number, to: number) =>
    client.send('PATCH', location, text.slice(from, to + 1), { 'content-range': `${from}-${to}` });
  const first = await chunk(0, 9);
  expect([first.status, first.headers.get('range')]).toEqual([202, '0-9']);
  const again = await chunk(0, 9);
  expect([again.status, again.headers.get('range'), again.codes]).toEqual([416, '0-9', ['RANGE_INVALID']]);
  const wrong = await client.send('PATCH', location, 'short', { 'content-range': '10-19' });
  expect([wrong.status, wrong.codes]).toEqual([400, ['BLOB_UPLOAD_INVALID']]);
  const status = await client.send('GET', location);
  expect([status.status, status.headers.get('range')]).toEqual([204, '0-9']);
  await chunk(10, text.length - 2);
  const put = await client.send('PUT', `${location}?digest=${digest}`, text.slice(-1));
  expect([put.status, put.headers.get('docker-content-digest')]).toEqual([201, digest]);
  expect(await client.send('GET', location)).toMatchObject({ status: 404, codes: ['BLOB_UPLOAD_UNKNOWN'] });
  // Read completely and in part.
  const read = await client.send('GET', `blobs/${digest}`);
  expect(read.body.toString()).toBe(text);
  const part = await client.send('GET', `blobs/${digest}`, undefined, { range: 'bytes=2-6' });
  expect([part.status, part.body.toString(), part.headers.get('content-range')]).toEqual([
    206,
    'layer',
    `bytes 2-6/${text.length}`,
  ]);
  const end = await client.send('GET', `blobs/${digest}`, undefined, { range: 'bytes=-6' });
  expect(end.body.toString()).toBe('length');
  expect((await client.send('GET', `blobs/${digest}`, undefined, { range: 'bytes=99-' })).status).toBe(416);
  // Mounted under another name of the deployment.
  const other = `/v2/${repository.replace(/[^/]+$/, 'other')}/blobs/uploads/?mount=${digest}&from=${repository}`;
  expect((await client.send('POST', other)).status).toBe(201);
  // Content that does not match its digest.
  const lie = await client.send('POST', `blobs/uploads/?digest=${digest}`, 'something else');
  expect([lie.status, lie.codes]).toEqual([400, ['DIGEST_INVALID']]);
  const cancelled = (await client.send('POST', 'blobs/uploads/')).headers.get('location')!;
  expect((await client.send('DELETE', cancelled)).status).toBe(204);
  expect((await client.send('GET', cancelled)).status).toBe(404);
  expect(await client.send('DELETE', `blobs/${digest}`)).toMatchObject({
    status: 405,
    codes: ['UNSUPPORTED'],
  });
});

test('an upload resumes after a lost connection, also in another process', async () => {
  const { id, client, push } = await pushable();
  const location = (await client.send('POST', 'blobs/uploads/')).headers.get('location')!;
  const text = 'x'.repeat(200_000);
  const lost = httpRequest(url + location, {
    method: 'PATCH',
    headers: { authorization: `Basic ${btoa(`_:${push.token}`)}`, 'content-length': text.length },
  });
  lost.on('error', () => {});
  lost.write(text.slice(0, 100_000));
  const { uploads } = new ImageFolders(dataDir, id);
  await until('some of it has come', async () => (await filesOf(uploads)).some(({ size }) => size > 0));
  lost.destroy();
  const isBusy = async () => (await filesOf(uploads)).some(({ name }) => name.endsWith('.busy'));
  await until('the server has noticed', async () => !(await isBusy()));
  const range = (await client.send('GET', location)).headers.get('range')!;
  const from = Number(range.split('-')[1]) + 1;
  expect(from).toBeGreaterThan(1);
  const second = new ImageRegistry(plane.deps);
  const elsewhere = createServer((request, response) => void second.handle(request, response));
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  const other = new RegistryClient(at, '', push.token);
  const rest = text.slice(from);
  await other.send('PATCH', location, rest, { 'content-range': `${from}-${text.length - 1}` });
  expect((await other.send('PUT', `${location}?digest=${digestOf(text)}`)).status).toBe(201);
  elsewhere.closeAllConnections();
  elsewhere.close();
});

test('stores manifests by tag and digest, of images and indexes, OCI and Docker; none without its parts', async () => {
  const { client, repository } = await pushable();
  const digest = await client.pushImage('v1', 'one');
  for (const reference of ['v1', digest]) {
    const { status, headers } = await client.send('HEAD', `manifests/${reference}`);
    expect([status, headers.get('content-type'), headers.get('docker-content-digest')]).toEqual([
      200,
      OCI_MANIFEST,
      digest,
    ]);
  }
  const docker = await client.pushImage('v2', 'two', DOCKER_MANIFEST);
  expect((await client.send('GET', 'manifests/v2')).headers.get('content-type')).toBe(DOCKER_MANIFEST);
  const index = { schemaVersion: 2, manifests: [{ digest }, { digest: docker }] };
  const put = await client.pushManifest('both', index, OCI_INDEX);
  expect(put.status).toBe(201);
  const read = await client.send('GET', `manifests/${put.headers.get('docker-content-digest')}`);
  expect([read.headers.get('content-type'), digestOf(read.body)]).toEqual([
    OCI_INDEX,
    put.headers.get('docker-content-digest'),
  ]);
  // A tag moves.
  const moved = await client.pushImage('v1', 'three');
  expect((await client.send('HEAD', 'manifests/v1')).headers.get('docker-content-digest')).toBe(moved);

  const absent = digestOf('never pushed');
  const image = { schemaVersion: 2, config: { digest: digestOf('{}') }, layers: [{ digest: absent }] };
  expect(await client.pushManifest('x', image)).toMatchObject({
    status: 400,
    codes: ['MANIFEST_BLOB_UNKNOWN'],
  });
  const child = { schemaVersion: 2, manifests: [{ digest: absent }] };
  expect(await client.pushManifest('x', child, OCI_INDEX)).toMatchObject({
    codes: ['MANIFEST_BLOB_UNKNOWN'],
  });
  for (const wrong of [{}, { ...image, schemaVersion: 1 }, { ...image, layers: [{ digest: '../x' }] }, []])
    expect(await client.pushManifest('x', wrong)).toMatchObject({
      status: 400,
      codes: ['MANIFEST_INVALID'],
    });
  expect(await client.pushManifest('x', image, 'text/plain')).toMatchObject({ codes: ['MANIFEST_INVALID'] });
  expect(await client.pushManifest(absent, index, OCI_INDEX)).toMatchObject({ codes: ['DIGEST_INVALID'] });
  const huge = { ...image, annotations: { text: 'x'.repeat(4 * 1024 * 1024) } };
  expect(await client.pushManifest('x', huge)).toMatchObject({ status: 413, codes: ['SIZE_INVALID'] });

  const tags = await client.send('GET', 'tags/list');
  expect(JSON.parse(tags.body.toString())).toEqual({ name: repository, tags: ['both', 'v1', 'v2'] });
  const page = await client.send('GET', 'tags/list?n=1&last=both');
  expect(JSON.parse(page.body.toString()).tags).toEqual(['v1']);
  expect(page.headers.get('link')).toBe(`</v2/${repository}/tags/list?n=1&last=v1>; rel="next"`);
  expect((await client.send('DELETE', 'manifests/v2')).status).toBe(202);
  expect(await client.send('GET', 'manifests/v2')).toMatchObject({
    status: 404,
    codes: ['MANIFEST_UNKNOWN'],
  });
  expect((await client.send('GET', `manifests/${docker}`)).status).toBe(200);
  expect(await client.send('DELETE', `manifests/${docker}`)).toMatchObject({ codes: ['UNSUPPORTED'] });
});

test('layers and deployments have size limits', async () => {
  const { client } = await pushable();
  const large = Buffer.alloc(LAYER_LIMIT + 1);
  const refused = await client
    .send('POST', `blobs/uploads/?digest=${digestOf(large)}`, large)
    .catch(() => undefined);
  // If the connection closes while a client is still sending, it may see only that.
  if (refused) expect(refused).toMatchObject({ status: 413, codes: ['SIZE_INVALID'] });
  for (let n = 0; n < LIMIT / LAYER_LIMIT; n++) await client.pushBlob(Buffer.alloc(LAYER_LIMIT, n));
  await expect(client.pushBlob('a little')).rejects.toThrow('403');
  // Refused content takes no space.
  expect((await client.send('POST', 'blobs/uploads/')).status).toBe(202);
});

test('a revision runs an image pushed to its own deployment, by digest', async () => {
  const { id, push, client, patch } = await pushable();
  const other = await pushable();
  await other.client.pushImage('latest', 'of another');
  const digest = await client.pushImage('latest', 'the agent');
  for (const [image, says] of [
    [undefined, `Push an image to ${host}/d/${id} first`],
    ['docker.io/library/debian', `The image is not in ${host}/d/${id}`],
    [`${other.push.repository_url}:latest`, `The image is not in ${host}/d/${id}`],
    [`${push.repository_url}:v2`, 'was not pushed'],
    [`${push.repository_url}@${digestOf('nothing')}`, 'was not pushed'],
  ] as const) {
    const body = { source_revision_config: { image_uri: image }, secrets: [{ name: 'A', value: 'b' }] };
    const { status, json } = await api.patch(`/v2/deployments/${id}`, body);
    expect({ status, detail: json.detail }).toEqual({
      status: 422,
      detail: [
        {
          loc: ['body', 'source_revision_config', 'image_uri'],
          msg: expect.stringContaining(says),
          type: expect.any(String),
        },
      ],
    });
  }
  const { status, json } = await patch(`${push.repository_url}:latest`);
  const pinned = `${push.repository_url}@${digest}`;
  expect([status, json.source_revision_config.image_uri]).toEqual([200, pinned]);
  await api.until(`/v2/deployments/${id}`, (answer) => answer.json.active_revision_id !== null);

  const revision = (await findRevision(plane.deps.db, json.latest_revision_id))!;
  const { image, credential } = await imageToPull(plane.deps, { ...revision, image: pinned }, 60);
  expect([image, credential!.serveraddress]).toEqual([pinned, host]);
  const driver = new RegistryClient(url, image.slice(host.length + 1).split('@')[0]!, credential!.password);
  expect((await driver.send('GET', `manifests/${digest}`)).status).toBe(200);
  expect((await driver.send('GET', `blobs/${digestOf('the agent')}`)).body.toString()).toBe('the agent');
});

test('the sweep removes unused images, and those of deleted deployments', async () => {
  const { id, push, client, patch } = await pushable();
  const used = await client.pushImage('latest', 'used by a revision');
  await patch(`${push.repository_url}:latest`);
  const kept = await client.pushImage('latest', 'tagged');
  const lost = await client.pushImage('old', 'of no use');
  await client.send('DELETE', 'manifests/old');
  await client.send('POST', 'blobs/uploads/');
  const gone = await pushable();
  await gone.client.pushImage('latest', 'of a deployment that is gone');
  await plane.deps.db.query('delete from control_plane.deployment where id = $1', [gone.id]);
  const young = digestOf('pushed a moment ago');
  await client.pushBlob('pushed a moment ago');

  const folders = new ImageFolders(dataDir, id);
  const old = new Date(Date.now() - 2 * 86_400_000);
  for (const folder of [folders.blobs, folders.manifests, folders.uploads, folders.pool])
    for (const name of await readdir(folder))
      if (!name.includes(young.slice('sha256:'.length))) await utimes(join(folder, name), old, old);
  expect((await sweepBuilds(plane.deps.db, plane.deps.config)).images).toBeGreaterThan(0);

  const has = async (path: string) => (await client.send('HEAD', path)).status === 200;
  expect(await Promise.all([used, kept, lost].map((digest) => has(`manifests/${digest}`)))).toEqual([
    true,
    true,
    false,
  ]);
  for (const text of ['used by a revision', 'tagged', 'pushed a moment ago', '{}'])
    expect([text, await has(`blobs/${digestOf(text)}`)]).toEqual([text, true]);
  expect(await has(`blobs/${digestOf('of no use')}`)).toBe(false);
  expect(await readdir(folders.uploads)).toEqual([]);
  expect(await readdir(ImageFolders.deployments(dataDir))).not.toContain(gone.id);
  const pool = await readdir(folders.pool);
  expect(pool).toContain(digestOf('tagged').replace(':', '-'));
  for (const text of ['of no use', 'of a deployment that is gone'])
    expect(pool).not.toContain(digestOf(text).replace(':', '-'));
  // Nothing is accepted for a deleted deployment.
  expect(await gone.client.send('POST', 'blobs/uploads/')).toMatchObject({
    status: 404,
    codes: ['NAME_UNKNOWN'],
  });
});

test('images of old revisions are removed with their tags; uploads in progress complete', async () => {
  const { id, push, client, patch } = await pushable();
  const deploy = async (tag: string) => {
    const digest = await client.pushImage(tag, `layer of ${tag}`);
    const { json } = await patch(`${push.repository_url}:${tag}`);
    const revision = json.latest_revision_id as string;
    await api.until(`/v2/deployments/${id}`, (answer) => answer.json.active_revision_id === revision);
    return { digest, revision };
  };
  const first = await deploy('v1');
  const second = await deploy('v2');
  const third = await deploy('v3');
  const again = await deploy('v1');
  const { deps } = plane;
  const sweep = (keep: number) => sweepBuilds(deps.db, { ...deps.config, SLIPWAY_KEPT_ARTIFACTS: keep });
  const folders = new ImageFolders(dataDir, id);
  const tags = join(folders.allTags, (await readdir(folders.allTags))[0]!);
  const old = new Date(Date.now() - 2 * 86_400_000);
  for (const folder of [folders.blobs, folders.manifests, tags])
    for (const name of await readdir(folder)) await utimes(join(folder, name), old, old);
  const location = (await client.send('POST', 'blobs/uploads/')).headers.get('location')!;
  const begun = await client.send('PATCH', location, 'half and ');

  expect((await sweep(2)).released).toBe(1);
  await sweep(2);
  const has = async (path: string) => (await client.send('HEAD', path)).status === 200;
  const there = [first, second, third].map(({ digest }) => has(`manifests/${digest}`));
  expect(await Promise.all(there)).toEqual([true, false, true]);
  expect((await readdir(tags)).sort()).toEqual(['v1', 'v3']);
  expect([await has(`blobs/${digestOf('layer of v2')}`), await has(`blobs/${digestOf('{}')}`)]).toEqual([
    false,
    true,
  ]);
  const redeploy = (revision: string) => api.post(`/v2/deployments/${id}/revisions/${revision}/redeploy`);
  expect((await redeploy(second.revision)).status).toBe(400);
  // Has the same content as the serving image.
  expect((await redeploy(first.revision)).status).toBe(200);
  expect(again.digest).toBe(first.digest);
  const rest = await client.send('PATCH', begun.headers.get('location')!, 'half');
  const digest = digestOf('half and half');
  expect((await client.send('PUT', `${rest.headers.get('location')}?digest=${digest}`)).status).toBe(201);
  // Pushing it again restores it for a new revision.
  const { json } = await (await client.pushImage('v2', 'layer of v2'), patch(`${push.repository_url}:v2`));
  expect(json.source_revision_config.image_uri).toContain(second.digest);
  await sweep(2);
  expect(await has(`manifests/${second.digest}`)).toBe(true);
});
