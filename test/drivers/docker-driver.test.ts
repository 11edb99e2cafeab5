import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, expect } from '@jest/globals';
import { pino } from 'pino';
import { create } from 'tar';
import { DockerDriver } from '../../src/control-plane/drivers/docker/docker-driver.ts';
import { Supervisor } from '../../src/control-plane/drivers/supervisor.ts';
import { ImageRegistry } from '../../src/control-plane/registry/registry.ts';
import { issueRegistryToken } from '../../src/control-plane/registry/registry-token.ts';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import { GREETER, graph, placeArtifact } from '../control-plane/control-plane-fixture.ts';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { until } from '../support/until.ts';
import { openDockerEngine } from '../support/docker-engine.ts';
import { IMAGE_MODULES } from '../support/docker-image.ts';
import { conformsToDriver } from './driver-conformance.ts';

const engine = await openDockerEngine();
const skip = 'reason' in engine ? engine.reason : undefined;
if (skip) console.warn(`The docker driver is not tested here: ${skip}`);
const { docker, image, address } = 'reason' in engine ? ({} as never) : engine;
// A registry that does not respond: local images are used then.
const EMPTY = 'FROM scratch\nCOPY said /\nCMD ["/serve"]\n';
const APP = '127.0.0.1:1/slipway-test-app:latest';
afterAll(async () => {
  if (!('reason' in engine)) await engine.stop();
});

const containersOf = async (id: string): Promise<string[]> => {
  const filters = { label: [`slipway.revision=${id}`] };
  const containers = await docker.listContainers({ all: true, filters });
  const { Volumes } = await docker.listVolumes({ filters });
  return [...containers.map(({ Names }) => Names[0]!.slice(1)), ...Volumes.map(({ Name }) => Name)];
};

const { options, opened, deployable, greet, linesOf, check } = conformsToDriver('docker', {
  skip,
  modules: IMAGE_MODULES,
  settings: {
    SLIPWAY_DOCKER_SOCKET: address ?? '/var/run/docker.sock',
    SLIPWAY_DOCKER_BASE_IMAGE: image ?? 'slipway',
  },
  open(options) {
    const driver = new DockerDriver(options, docker);
    return {
      driver,
      crash: (id) => docker.getContainer(`slipway-${id}-0`).kill(),
      left: containersOf,
      measure: () => driver.runtime.measure!(),
      supervise() {
        const supervisor = new Supervisor(options, driver);
        supervisor.start();
        return supervisor;
      },
    };
  },
});

// Runs after the suite's own cleanup.
const images: string[] = [];
afterEach(async () => {
  for (const id of images.splice(0)) await docker.getImage(id).remove({ force: true });
});

const done = (progress: NodeJS.ReadableStream) =>
  new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(progress, (error, steps: { error?: string }[] = []) => {
      const failure = error ?? steps.find((step) => step.error);
      if (failure) reject(new Error(JSON.stringify(failure)));
      else resolve();
    }),
  );

/** An image whose agent answers a word, built on ours as a client would. */
async function buildApp(word: string): Promise<string> {
  const { dataDir } = options();
  const folder = artifactFolder(
    dataDir,
    await placeArtifact(
      dataDir,
      {
        ...GREETER,
        'agent.js': graph(`() => ({ said: ${JSON.stringify(word)} })`),
        Dockerfile: `FROM ${image}\nCOPY . /srv/app\nCMD ["serve", "--config=/srv/app/graph.json"]\n`,
      },
      IMAGE_MODULES,
    ),
  );
  const context = Readable.from(create({ cwd: folder }, ['.']) as AsyncIterable<Buffer>);
  await done(await docker.buildImage(context, { t: APP }));
  const { Id } = await docker.getImage(APP).inspect();
  images.unshift(Id);
  return Id;
}

check("an agent's container has no privileges, has limits, and a read-only project", async () => {
  const said = `() => {
    const said = [process.getuid()];
    for (const path of ['./agent.js', '/etc/motd', '/tmp/mine'])
      try { fs.writeFileSync(path, ''); said.push('written'); } catch (error) { said.push(error.code); }
    return { said: said.join(' ') };
  }`;
  const { driver, request, revision } = await deployable(
    { ...GREETER, 'agent.js': `import fs from 'node:fs';${graph(said)}` },
    { resource_spec: { memory_limit_mb: 512, cpu_limit: 1.5 } },
  );
  const { url } = await driver.start(request);
  expect((await greet(url)).said).toMatch(/^\d{7,} EROFS EROFS written$/);
  const { HostConfig, Config } = await docker.getContainer(`slipway-${revision.id}-0-host`).inspect();
  expect(HostConfig).toMatchObject({
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Memory: 512 * 1024 * 1024,
    MemorySwap: 512 * 1024 * 1024,
    NanoCpus: 1.5e9,
    PidsLimit: 1_024,
  });
  expect(Config.Labels).toMatchObject({
    'slipway.deployment': revision.deployment_id,
    'slipway.replica': '0',
  });
});

check('an image keeps its first digest when its tag moves', async () => {
  const first = await buildApp('first');
  const { db } = options();
  const { driver, request, revision } = await deployable();
  await db.query(
    `update control_plane.revision set artifact = null, source = 'external_container',
       source_revision_config = $2 where id = $1`,
    [revision.id, { image_uri: APP }],
  );
  const image = (await findRevision(db, revision.id))!;
  const { url } = await driver.start({ ...request, revision: image });
  expect((await greet(url)).said).toBe('first');
  const pinned = (await findRevision(db, revision.id))!;
  expect(pinned.artifact).toBe(first);
  await driver.stop(revision.id);
  await buildApp('second');
  const again = await driver.start({ ...request, revision: pinned });
  expect((await greet(again.url)).said).toBe('first');
});

check('a missing image fails with a clear line', async () => {
  const { driver, request, revision } = await deployable();
  const missing = {
    ...revision,
    source: 'external_container' as const,
    artifact: null,
    source_revision_config: { image_uri: '127.0.0.1:1/missing:1' },
  };
  await expect(driver.start({ ...request, revision: missing })).rejects.toThrow(
    /^the image 127.0.0.1:1\/missing:1 cannot be pulled: /,
  );
  expect(await containersOf(revision.id)).toEqual([]);
});

check('pulls use the credentials of the login file', async () => {
  const { db, dataDir, config } = options();
  const { driver, request, revision } = await deployable();
  // A real registry that requires a password: ours.
  const registry = new ImageRegistry({ ...options(), log: pino({ level: 'silent' }) });
  await db.query(`update control_plane.deployment set source = 'internal_container' where id = $1`, [
    revision.deployment_id,
  ]);
  const server = createServer((asked, response) => void registry.handle(asked, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { deployment_id } = revision;
    const password = issueRegistryToken(options().box, { deployment_id, can: 'push', expires_at: null });
    const name = `${host}/d/${deployment_id}/private`;
    const context = Readable.from(
      create(
        { cwd: artifactFolder(dataDir, await placeArtifact(dataDir, { Dockerfile: EMPTY, said: 'x' })) },
        ['.'],
      ) as AsyncIterable<Buffer>,
    );
    await done(await docker.buildImage(context, { t: `${name}:1` }));
    const image = docker.getImage(`${name}:1`);
    await done(await image.push({ authconfig: { username: 'x', password, serveraddress: host } }));
    await image.remove({ force: true });

    await db.query(
      `update control_plane.revision set artifact = null, source = 'external_container',
         source_revision_config = $2 where id = $1`,
      [revision.id, { image_uri: `${name}:1` }],
    );
    const revised = { ...request, revision: (await findRevision(db, revision.id))! };
    await expect(driver.start(revised)).rejects.toThrow(/cannot be pulled: /);
    const file = join(dataDir, 'logins.json');
    const auth = Buffer.from(`x:${password}`).toString('base64');
    await writeFile(file, JSON.stringify({ auths: { 'docker.io': {}, [`https://${host}/v2/`]: { auth } } }));
    const letIn = new DockerDriver(
      { ...options(), config: { ...config, SLIPWAY_REGISTRY_AUTH_FILE: file } },
      docker,
    );
    // The image has no program; an error about that shows that the image was pulled.
    await expect(letIn.start(revised)).rejects.toThrow(/exec \/serve failed/);
    const { artifact } = (await findRevision(db, revision.id))!;
    expect(artifact).toMatch(new RegExp(`^${name}@sha256:[0-9a-f]{64}$`));
    images.unshift(artifact!);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

check('each line is stored once and in order, by any number of workers', async () => {
  const lines = 3_000;
  const { driver, request, revision } = await deployable({
    ...GREETER,
    'agent.js': `
      let said = 0;
      const timer = setInterval(() => {
        for (let i = 0; i < 50; i++) console.log('line ' + said++);
        if (said >= ${lines}) clearInterval(timer);
      }, 20);
      ${graph('() => ({})')}`,
  });
  const others = [opened(), opened()].map((worker) => (worker.driver as DockerDriver).runtime);
  await driver.start(request);
  const key = { revision_id: revision.id, replica: 0 };
  const numbered = async () => (await linesOf(revision)).filter((line) => line.startsWith('line '));
  await until('all lines arrive', async () => {
    await Promise.all(others.map((runtime) => runtime.keepOutput(key)));
    return (await numbered()).length >= lines;
  });
  await driver.stop(revision.id);
  expect(await numbered()).toEqual(Array.from({ length: lines }, (_, number) => `line ${number}`));
});

check('a container without a row is removed; those of another platform stay', async () => {
  const { driver, request, revision } = await deployable();
  await driver.start(request);
  const { runtime } = driver as DockerDriver;
  expect(await runtime.sweep!()).toBe(0);
  const { databaseUrl } = options();
  const elsewhere = new DockerDriver({ ...options(), databaseUrl: `${databaseUrl}_other` }, docker);
  await options().db.query('delete from control_plane.instance where revision_id = $1', [revision.id]);
  expect(await elsewhere.runtime.sweep!()).toBe(0);
  expect(await runtime.sweep!()).toBe(1);
  expect(await containersOf(revision.id)).toEqual([]);
});

check('addresses that containers cannot reach are refused before one starts', async () => {
  const { request, revision } = await deployable();
  const config = { ...options().config, SLIPWAY_DOCKER_NETWORK: 'agents' };
  const driver = new DockerDriver({ ...options(), config }, docker);
  await expect(driver.start(request)).rejects.toThrow(/DATABASE_URL.*SLIPWAY_DOCKER_NETWORK=host/);
  expect(await containersOf(revision.id)).toEqual([]);
});
