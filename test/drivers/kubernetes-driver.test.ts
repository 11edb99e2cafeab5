import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openCluster, statusOf } from '../../src/control-plane/drivers/kubernetes/cluster.ts';
import { ClusterWatch } from '../../src/control-plane/drivers/kubernetes/cluster-watch.ts';
import { KubernetesDriver } from '../../src/control-plane/drivers/kubernetes/kubernetes-driver.ts';
import { projectOf } from '../../src/control-plane/drivers/agent-project.ts';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import {
  DEPLOYMENTS,
  NETWORK_POLICIES,
  PODS,
  SECRETS,
} from '../../src/control-plane/drivers/kubernetes/kinds.ts';
import { notePodUsage } from '../../src/control-plane/drivers/kubernetes/pod-usage.ts';
import { listInstances } from '../../src/control-plane/drivers/instance-repository.ts';
import {
  LABELS,
  objectName,
  ownedBy,
  ownerLabels,
  type Part,
  partName,
  partOf,
} from '../../src/control-plane/drivers/kubernetes/object-names.ts';
import { DRIFTED } from '../../src/control-plane/scaling/drift-repository.ts';
import { ensureGatewayToken } from '../../src/control-plane/gateway/gateway-token.ts';
import { readRegistryToken } from '../../src/control-plane/registry/registry-token.ts';
import { releaseClaim } from '../../src/control-plane/scaling/scale-claim-repository.ts';
import { beginScale } from '../../src/control-plane/scaling/scale-repository.ts';
import { graph, GREETER } from '../control-plane/control-plane-fixture.ts';
import { until } from '../support/until.ts';
import { allowed } from '../support/kubernetes-manifests.ts';
import { kubeconfigOf } from '../support/fake-cluster.ts';
import { REAL } from '../support/real-cluster.ts';
import { useKubernetes } from '../support/use-kubernetes.ts';
import { conformsToDriver } from './driver-conformance.ts';

// A real cluster can't be inspected, nor its images configured.
const skip = REAL.kubeconfig ? 'the cluster is a real one' : undefined;
if (skip) console.warn(`Images, cut connections and recorded calls are not tested: ${skip}`);
const onFake = skip ? test.skip : test;

// Settings for its data folder, the feedback address and logging.
const ALLOWED = ['SLIPWAY_DATA_DIR', 'SLIPWAY_FEEDBACK_URL', 'SLIPWAY_LOG_LEVEL'];

const names = (id: string) => kubernetes().namesOf(id);
const podsOf = (id: string) => kubernetes().podsOf(id);
const podOf = async (id: string, part: Part) => (await podsOf(id)).find((pod) => partOf(pod) === part)!;
const fake = () => kubernetes().api!;

/** Supervises the cluster meanwhile. */
async function supervised(
  { supervise }: { supervise?(): { stop(): Promise<void> } },
  work: () => Promise<void>,
): Promise<void> {
  const watch = supervise!();
  try {
    await work();
  } finally {
    await watch.stop();
  }
}

function open(options: DriverOptions) {
  const { settings, cluster, crash, reached } = kubernetes();
  const opened = {
    ...options,
    ...reached(options),
    config: { ...options.config, ...settings },
    cluster,
    host: `kubernetes/${options.host}`,
  };
  const driver = new KubernetesDriver(opened);
  return {
    driver,
    opened,
    crash: async (id: string) => crash(await podOf(id, 'server')),
    left: names,
    async measure() {
      const rows = await listInstances(options.db, { host: opened.host });
      expect(await notePodUsage(opened, ownedBy(opened.config.SLIPWAY_PLATFORM), rows)).toBe(true);
    },
    supervise() {
      const watch = new ClusterWatch(opened, driver);
      watch.start();
      return watch;
    },
  };
}

const { options, deployable, greet, linesOf, serve, urlsOf } = conformsToDriver('kubernetes', {
  open,
  ...(REAL.kubeconfig && { modules: REAL.modules }),
});
const kubernetes = useKubernetes(options);

onFake('a kubeconfig is taken at its word: its authority, and its token', async () => {
  const { settings, cluster } = kubernetes();
  const { server, caFile } = cluster.kubeConfig.getCurrentCluster()!;
  const opened = async (about: { ca?: string; token: string }) => {
    const kubeconfig = join(options().dataDir, 'another-kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf({ server, ...about }));
    const config = { ...options().config, ...settings, SLIPWAY_KUBECONFIG: kubeconfig };
    return (await openCluster(config)).list(PODS, '').catch((error: unknown) => error);
  };
  const { token } = cluster.kubeConfig.getCurrentUser()!;
  expect(await opened({ ca: caFile!, token: token! })).toMatchObject({ kind: 'PodList' });
  expect(await opened({ token: token! })).toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  expect(statusOf(await opened({ ca: caFile!, token: 'another' }))).toMatchObject({ code: 401 });
});

onFake(
  'an image runs by its digest; one that cannot be pulled, or has no place, is said to be so',
  async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const image = `registry.test/agent@${digest}`;
    const { driver, revision, request } = await deployable();
    const ofImage = (image_uri: string) => ({
      ...request,
      revision: { ...revision, artifact: null, source_revision_config: { image_uri } },
    });
    await expect(driver.start(ofImage(image))).rejects.toThrow(/image cannot be pulled.*not found/);
    expect(await names(revision.id)).toEqual([]);
    const { dir, config } = projectOf(options().dataDir, revision);
    expect(config).toContain(dir);
    fake().images.set(image, { id: image, entrypoint: ['serve', `--config=${config}`] });
    await driver.start(ofImage(image));
    const pod = await podOf(revision.id, 'host');
    expect(pod.spec!.containers[0]!.image).toBe(image);
    expect(pod.status!.containerStatuses![0]!.imageID).toContain(digest);
    await driver.stop(revision.id);
    const huge = { ...revision, source_config: { resource_spec: { memory_mb: 900_000 } } };
    const short = open({ ...options(), config: { ...options().config, SLIPWAY_DEPLOY_TIMEOUT_SECONDS: 5 } });
    await expect(short.driver.start({ ...request, revision: huge })).rejects.toThrow(
      /no place in the cluster.*Insufficient memory.*no progress for 5 s/,
    );
  },
);

onFake(
  'an image that was pushed to the platform is pulled with a secret of the revision, which goes with it',
  async () => {
    const started = await deployable();
    const { driver, revision, request } = started;
    const { deployment_id } = revision;
    const { config } = projectOf(options().dataDir, revision);
    const image = `${new URL(options().config.SLIPWAY_PUBLIC_URL).host}/d/${deployment_id}/agent@sha256:${'b'.repeat(64)}`;
    const admits = (password = '') => {
      const token = readRegistryToken(options().box, password);
      return token?.deployment_id === deployment_id && token.can === 'pull';
    };
    fake().images.set(image, { id: image, entrypoint: ['serve', `--config=${config}`], admits });
    const pushed = {
      ...revision,
      source: 'internal_container' as const,
      artifact: null,
      // The platform's address has changed since.
      source_revision_config: { image_uri: image.replace(/^[^/]+/, 'before.test') },
    };
    await options().db.query(
      `update control_plane.revision set artifact = null, source = 'internal_container', source_revision_config = $2
       where id = $1`,
      [revision.id, pushed.source_revision_config],
    );
    await driver.start({ ...request, revision: pushed });
    expect((await podOf(revision.id, 'host')).spec!.imagePullSecrets).toEqual([
      { name: `slipway-${revision.id}-pull` },
    ]);
    const secret = `slipway-${revision.id}-pull`;
    expect(await names(revision.id)).toContain(`secrets/${secret}`);
    // A serving revision's token is renewed.
    await kubernetes().cluster.remove({ ...SECRETS, name: secret });
    await serve(revision);
    await supervised(started, () =>
      until('it is back', async () => (await names(revision.id)).includes(`secrets/${secret}`)),
    );
    await driver.stop(revision.id);
    expect(await names(revision.id)).toEqual([]);
  },
);

onFake('a log is kept line by line, once each, however often the connection breaks', async () => {
  const counting = `let n = 0; setInterval(() => console.log('line', ++n), 2);`;
  const started = await deployable({ ...GREETER, 'agent.js': counting + GREETER['agent.js'] });
  const { driver, revision, request } = started;
  const counted = async () => (await linesOf(revision)).filter((line) => line.startsWith('line '));
  await supervised(started, async () => {
    await driver.start(request);
    await serve(revision);
    for (let cut = 1; cut <= 3; cut++) {
      const before = (await counted()).length;
      fake().cutStreams();
      await until('more is kept', async () => (await counted()).length > before + 200);
    }
  });
  const lines = await counted();
  expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
});

test('notices when an active revision is removed from the cluster', async () => {
  const { db } = options();
  const started = await deployable();
  const { driver, revision, request } = started;
  await beginScale(db, revision.id, { least: 1, most: 1 });
  await driver.start(request);
  await serve(revision);
  const made = (await names(revision.id)).length;
  const reached = async () =>
    (await db.query('select reached from control_plane.scale where revision_id = $1', [revision.id])).rows[0];
  const { cluster } = kubernetes();
  await supervised(started, async () => {
    for (const [kind, part] of [
      [DEPLOYMENTS, 'server'],
      [DEPLOYMENTS, 'host'],
      [NETWORK_POLICIES, 'host'],
    ] as const) {
      await cluster.remove({ ...kind, name: partName(revision.id, part) });
      await until('it is missed', async () => (await reached()).reached === DRIFTED);
      // As a scaler does.
      await driver.scale(revision.id, 1, { signal: request.signal });
      await releaseClaim(db, revision.id, 1);
      await until('all objects exist again', async () => (await names(revision.id)).length === made);
    }
  });
});

test('orphans are found by their labels and removed', async () => {
  const started = await deployable();
  const { driver, revision, request } = started;
  await driver.start(request);
  await options().db.query('delete from control_plane.instance where revision_id = $1', [revision.id]);
  await supervised(started, () => until('it is gone', async () => (await names(revision.id)).length === 0));
});

test('the code of a project sees no credential of its server', async () => {
  const code = graph('() => ({ said: JSON.stringify(process.env) })');
  const { driver, revision, request } = await deployable({ ...GREETER, 'agent.js': code });
  const { url } = await driver.start(request);
  const seen = JSON.parse((await greet(url)).said) as Record<string, string>;
  expect(seen['GREETING']).toBe(`it's "hello"`);
  const ours = Object.keys(seen).filter((name) => /^(SLIPWAY|DATABASE|TEMPORAL|KUBERNETES)_/.test(name));
  expect(ours.filter((name) => !ALLOWED.includes(name))).toEqual([]);
  const token = await ensureGatewayToken(options(), revision.id);
  expect(JSON.stringify(seen)).not.toContain(token);
});

test('a graph host that runs out of memory restarts alone, and the run goes on', async () => {
  const code = `
    import { existsSync, writeFileSync } from 'node:fs';
    const once = process.env.TMPDIR + '/once';
    const held = [];
    ${graph(`() => {
      const isFirst = !existsSync(once);
      writeFileSync(once, '');
      while (isFirst) held.push(Buffer.alloc(2e7, 1));
      return { said: 'later' };
    }`)}`;
  const started = await deployable(
    { ...GREETER, 'agent.js': code },
    { resource_spec: { memory_limit_mb: 256 } },
  );
  const { driver, revision, request } = started;
  const { url } = await driver.start(request);
  await serve(revision);
  await supervised(started, async () => {
    expect((await greet(url)).said).toBe('later');
    const end = /graph host ended by itself: it ran out of its 256 MB of memory/;
    await until('its end is logged', async () => (await linesOf(revision)).some((line) => end.test(line)));
  });
  const restarts = async (part: Part) =>
    (await podOf(revision.id, part)).status!.containerStatuses![0]!.restartCount;
  expect([await restarts('server'), await restarts('host')]).toEqual([0, 1]);
});

test('of several replicas, a server and its own graph host are ended', async () => {
  const { driver, revision, request } = await deployable();
  await driver.start({ ...request, replicas: 3 });
  await serve(revision);
  await driver.scale(revision.id, 1, { signal: request.signal });
  const left = (await podsOf(revision.id)).map(partOf);
  expect(left).toHaveLength(2);
  expect(new Set(left)).toEqual(new Set(['host', 'server']));
  const [url] = await urlsOf(revision);
  expect((await greet(url!)).said).toContain('hello');
  const lost = (await linesOf(revision)).filter((line) => /lost the container/.test(line));
  expect(lost).toEqual([]);
});

onFake(
  'an image that serves the API itself runs alone, without a credential, and is remembered',
  async () => {
    const image = `registry.test/other@sha256:${'c'.repeat(64)}`;
    const program = join(options().dataDir, 'other.cjs');
    await writeFile(
      program,
      `require('node:http').createServer(({ url }, response) => {
       response.writeHead(/^.(ok|env)$/.test(url) ? 200 : 404).end(JSON.stringify(process.env));
     }).listen(process.env.PORT, process.env.HOST);`,
    );
    fake().images.set(image, { id: image, program });
    const { driver, revision, request } = await deployable();
    const other = { ...revision, artifact: null, source_revision_config: { image_uri: image } };
    await options().db.query(
      `update control_plane.revision set artifact = null, source = 'external_container', source_revision_config = $2
     where id = $1`,
      [revision.id, other.source_revision_config],
    );
    const { url } = await driver.start({ ...request, revision: other });
    const seen = (await (await fetch(`${url}/env`)).json()) as Record<string, string>;
    expect(seen).toMatchObject({ GREETING: `it's "hello"`, PORT: '8000' });
    expect(Object.keys(seen).filter((name) => /^(SLIPWAY|DATABASE|TEMPORAL)_/.test(name))).toEqual([
      'SLIPWAY_DATA_DIR',
    ]);
    const expected = ['deployments', 'networkpolicies', 'secrets'].map(
      (plural) => `${plural}/${partName(revision.id, 'agent')}`,
    );
    const kept = (await names(revision.id)).filter((name) => !/^(pods|replicasets|services)/.test(name));
    expect(kept.sort()).toEqual(expected);
    await driver.scale(revision.id, 0, { signal: request.signal });
    expect(await names(revision.id)).toEqual([]);
    // The kind of image is known now, so no server waits for it again.
    const before = fake().store.version;
    await driver.scale(revision.id, 1, { signal: request.signal });
    const made = fake()
      .store.since(Number(before))
      .map(({ object }) => object.metadata.labels?.[LABELS.part]);
    expect(made).not.toContain('server');
  },
);

test('what an older version left of a revision goes when it is started', async () => {
  const { driver, revision, request } = await deployable();
  await driver.start(request);
  const made = await names(revision.id);
  const { cluster } = kubernetes();
  const labels = ownerLabels({ ...options().config, ...kubernetes().settings }.SLIPWAY_PLATFORM, revision);
  const selector = { [LABELS.revision]: revision.id };
  const metadata = { name: objectName(revision.id), labels };
  const containers = [{ name: 'agent', image: 'slipway:latest' }];
  const template = { metadata: { labels }, spec: { containers } };
  await cluster.apply({
    ...DEPLOYMENTS,
    metadata,
    spec: { replicas: 0, selector: { matchLabels: selector }, template },
  });
  await cluster.apply({ ...NETWORK_POLICIES, metadata, spec: { podSelector: { matchLabels: selector } } });
  await cluster.apply({ ...SECRETS, metadata, data: {} });
  await driver.start(request);
  await until('all is as before', async () => (await names(revision.id)).length === made.length);
  expect((await names(revision.id)).sort()).toEqual(made.sort());
});

onFake('the role in deploy/ allows what was asked', async () => {
  const role = await allowed();
  expect(fake().asked.size).toBeGreaterThan(0);
  expect(Array.from(fake().asked.keys()).filter((what) => !role.includes(what))).toEqual([]);
});
