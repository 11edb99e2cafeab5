import { createHash, randomUUID } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { authenticate } from '../../src/control-plane/access/authenticate.ts';
import { releaseArtifacts } from '../../src/control-plane/builds/build-references.ts';
import { sweepBuilds } from '../../src/control-plane/maintenance/sweep-builds.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { controlPlaneRoutes } from '../../src/control-plane/control-plane-routes.ts';
import { createDeployment, patchDeployment } from '../../src/control-plane/deployments/deployment-service.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import { redeploy } from '../../src/control-plane/revisions/revision-service.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { invalidAnswer } from '../../src/control-plane/validation-errors.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';
import { useTemporal } from '../support/use-temporal.ts';
import { useBuilds } from './build-setting.ts';

const database = useDatabase();
const temporal = useTemporal();
const builds = useBuilds();
const log = pino({ level: 'silent' });
const key = newApiKey();
const LIMIT = 10_000;
const deps = {
  config: { ...builds.config, SLIPWAY_UPLOAD_LIMIT_BYTES: LIMIT },
  log,
  box: new SealedBox(['a key that is long enough']),
} as ControlPlaneDeps;
let server: Server;

beforeAll(async () => {
  await migrate(database.db, 'control-plane', new URL('migrations/control-plane/', packageRoot));
  deps.db = database.db;
  deps.workflows = new DeploymentWorkflows({
    client: temporal.client,
    taskQueue: `test-${randomUUID()}`,
    buildQueue: 'none',
    deadlineMs: PATIENCE_MS,
  });
  await insertApiKey(deps.db, key, { tenant_id: null, name: 'ada', role: 'deployer' });
  const middleware = () => [authenticate(deps)];
  const app = createApp(controlPlaneRoutes(deps), {
    log,
    bodyLimit: 1_000_000,
    invalid: invalidAnswer,
    middleware,
  });
  server = createServer(app.callback()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  deps.config.SLIPWAY_PUBLIC_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function call(method: string, path: string, body: object, tenant: string) {
  const response = await fetch(deps.config.SLIPWAY_PUBLIC_URL + path, {
    method,
    headers: { 'x-api-key': key, 'x-tenant-id': tenant, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as any };
}

async function put(url: string, body: Uint8Array | string) {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/gzip', 'x-goog-content-length-range': '0,209715200' },
    body,
  });
  return { status: response.status, json: (await response.json()) as any };
}

async function deployment(mount = '') {
  const tenant = randomUUID();
  const body = { name: `agent-${randomUUID().slice(0, 8)}`, source: 'internal_source', secrets: [] };
  const { json } = await call('POST', `${mount}/v2/deployments`, body, tenant);
  const path = `${mount}/v2/deployments/${json.id}`;
  const upload = async () => (await call('POST', `${path}/upload-url`, {}, tenant)).json;
  const patch = (source_tarball_path: string) =>
    call(
      'PATCH',
      path,
      { revision_source: 'internal_source', source_revision_config: { source_tarball_path } },
      tenant,
    );
  return { id: json.id as string, tenant, path, upload, patch };
}

const BYTES = gzipSync('an archive');

test.each(['', '/api-host'])('what was uploaded becomes a revision (mount "%s")', async (mount) => {
  const { upload, patch } = await deployment(mount);
  const { upload_url, object_path } = await upload();
  expect(await put(upload_url, BYTES)).toEqual({ status: 200, json: {} });
  const { status, json } = await patch(object_path);
  expect(status).toBe(200);
  expect(json.latest_revision_id).toEqual(expect.any(String));
  expect(json.source_revision_config.source_tarball_path).toBe(object_path);
});

test('an archive with a known digest has one upload URL, which accepts nothing else', async () => {
  const tenant = randomUUID();
  const body = { name: `digest-${randomUUID()}`, source: 'internal_source' };
  const { json: made } = await call('POST', '/v2/deployments', body, tenant);
  const archive = gzipSync('a project');
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const address = async () =>
    (await call('POST', `/v2/deployments/${made.id}/upload-url`, { sha256 }, tenant)).json as {
      upload_url: string;
      object_path: string;
    };
  const [first, second] = [await address(), await address()];
  expect(second.object_path).toBe(first.object_path);
  expect((await put(first.upload_url, gzipSync('another'))).status).toBe(422);
  expect((await put(first.upload_url, archive)).status).toBe(200);
  expect((await put(second.upload_url, archive)).status).toBe(200);
});

test('a path that was issued but not uploaded is refused, as are other paths', async () => {
  const { id, upload, patch } = await deployment();
  const { object_path } = await upload();
  for (const path of [
    object_path,
    `uploads/${id}/../../etc/passwd`,
    '/etc/passwd',
    `uploads/${id}/${randomUUID()}.tar.gz`,
  ]) {
    const { status, json } = await patch(path);
    expect(status).toBe(422);
    expect(json.detail[0].loc).toEqual(['body', 'source_revision_config', 'source_tarball_path']);
  }
});

test("another deployment's upload is refused", async () => {
  const mine = await deployment();
  const other = await deployment();
  const { upload_url, object_path } = await other.upload();
  await put(upload_url, BYTES);
  expect((await mine.patch(object_path)).status).toBe(422);
  expect((await call('POST', `${mine.path}/upload-url`, {}, other.tenant)).status).toBe(404);
});

test('the same content can be uploaded twice, other content not', async () => {
  const { upload_url } = await (await deployment()).upload();
  expect((await put(upload_url, BYTES)).status).toBe(200);
  expect((await put(upload_url, BYTES)).status).toBe(200);
  expect((await put(upload_url, gzipSync('other'))).status).toBe(409);
});

test('oversized files, files that are no archives, and unknown URLs are refused', async () => {
  const { upload_url } = await (await deployment()).upload();
  const large = Buffer.concat([BYTES, Buffer.alloc(LIMIT)]);
  expect((await put(upload_url, large)).status).toBe(413);
  expect((await put(upload_url, 'hello')).status).toBe(422);
  expect((await put(`${upload_url.slice(0, -4)}AAAA`, BYTES)).status).toBe(403);
  expect((await put(upload_url, BYTES)).status).toBe(200);
});

test.each(['ext::sh -c id', 'https://ada:secret@example.com/x', 'git://example.com/x'])(
  'a deployment of %s is refused',
  async (repo_url) => {
    const body = { name: 'agent', source: 'git_host', source_config: { repo_url }, secrets: [] };
    const { status, json } = await call('POST', '/v2/deployments', body, randomUUID());
    expect([status, json.detail[0].loc]).toEqual([422, ['body', 'source_config', 'repo_url']]);
  },
);

test('an upload URL expires', async () => {
  deps.config.SLIPWAY_UPLOAD_SECONDS = -1;
  const { upload_url } = await (await deployment()).upload();
  deps.config.SLIPWAY_UPLOAD_SECONDS = 900;
  expect((await put(upload_url, BYTES)).status).toBe(403);
});

const [USED, UNUSED] = ['a'.repeat(64), 'b'.repeat(64)];

test('the sweep removes exactly what is unused', async () => {
  const { dataDir } = builds;
  const { id, upload, patch } = await deployment();
  const [used, unused] = [await upload(), await upload()];
  await put(used.upload_url, BYTES);
  await put(unused.upload_url, BYTES);
  await patch(used.object_path);
  const folders = [
    'builds/left',
    `artifacts/sha256-${USED}`,
    `artifacts/sha256-${UNUSED}`,
    `build-caches/${id}/packages/old`,
  ];
  for (const folder of folders) await mkdir(join(dataDir, folder), { recursive: true });
  await deps.db.query(`update control_plane.revision set artifact = $2 where deployment_id = $1`, [
    id,
    `sha256:${USED}`,
  ]);
  expect(await sweepBuilds(deps.db, deps.config)).toEqual({
    work: 0,
    artifacts: 0,
    uploads: 0,
    caches: 0,
    images: 0,
    released: 0,
  });
  const longAgo = new Date(Date.now() - 30 * 86_400_000);
  for (const path of [...folders, used.object_path, unused.object_path])
    utimesSync(join(dataDir, path), longAgo, longAgo);
  await writeFile(join(dataDir, `artifacts/sha256-${UNUSED}/file`), 'x');
  utimesSync(join(dataDir, `artifacts/sha256-${UNUSED}`), longAgo, longAgo);
  expect(await sweepBuilds(deps.db, deps.config)).toEqual({
    work: 1,
    artifacts: 1,
    uploads: 1,
    caches: 1,
    images: 0,
    released: 0,
  });
  expect(await readdir(join(dataDir, 'artifacts'))).toEqual([`sha256-${USED}`]);
  expect(await readdir(join(dataDir, 'uploads', id))).toHaveLength(1);
});

test('keeps a deployment’s newest artifacts and those in use, and removes others', async () => {
  const { db } = deps;
  const principal = { tenant_id: randomUUID(), name: 'ada', role: 'deployer' as const };
  const { id } = await createDeployment(deps, principal, { name: 'kept', source: 'internal_source' });
  const revisions: string[] = [];
  for (let number = 0; number < 6; number++) {
    const { revision } = await patchDeployment(deps, principal, id, {}, { always: true });
    revisions.push(revision!.id);
    const artifact = `sha256:${String(number).repeat(64)}`;
    await db.query(`update control_plane.revision set artifact = $2, status = 'DEPLOYED' where id = $1`, [
      revision!.id,
      artifact,
    ]);
  }
  await db.query('update control_plane.deployment set active_revision_id = $2 where id = $1', [
    id,
    revisions[0],
  ]);
  await db.query(
    'insert into control_plane.traffic (deployment_id, revision_id, percent) values ($1, $2, 10)',
    [id, revisions[2]],
  );
  expect(await releaseArtifacts(db, 2)).toBe(2);
  const { rows } = await db.query<{ artifact: string | null }>(
    'select artifact from control_plane.revision where deployment_id = $1 order by number',
    [id],
  );
  expect(rows.map(({ artifact }) => artifact?.at(-1))).toEqual(['0', undefined, '2', undefined, '4', '5']);
  await expect(redeploy(deps, principal, id, revisions[1]!)).rejects.toThrow('it was never built');
});
