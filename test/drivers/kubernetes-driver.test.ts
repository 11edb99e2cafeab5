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
import { objectName, ownedBy } from '../../src/control-plane/drivers/kubernetes/object-names.ts';
import { DRIFTED } from '../../src/control-plane/scaling/drift-repository.ts';
import { readRegistryToken } from '../../src/control-plane/registry/registry-token.ts';
import { releaseClaim } from '../../src/control-plane/scaling/scale-claim-repository.ts';
import { beginScale } from '../../src/control-plane/scaling/scale-repository.ts';
import { GREETER } from '../control-plane/control-plane-fixture.ts';
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

const names = (id: string) => kubernetes().namesOf(id);
const podsOf = (id: string) => kubernetes().podsOf(id);
const fake = () => kubernetes().api!;

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
    crash: async (id: string) => crash((await podsOf(id))[0]!),
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

const { options, deployable, linesOf, serve } = conformsToDriver('kubernetes', {
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
    const [pod] = await podsOf(revision.id);
    expect(pod!.spec!.containers[0]!.image).toBe(image);
    expect(pod!.status!.containerStatuses![0]!.imageID).toContain(digest);
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
    const { driver, revision, request, supervise } = await deployable();
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
      // The platform has moved since.
      source_revision_config: { image_uri: image.replace(/^[^/]+/, 'before.test') },
    };
    await options().db.query(
      `update control_plane.revision set artifact = null, source = 'internal_container', source_revision_config = $2
       where id = $1`,
      [revision.id, pushed.source_revision_config],
    );
    await driver.start({ ...request, revision: pushed });
    expect((await podsOf(revision.id))[0]!.spec!.imagePullSecrets).toEqual([
      { name: `slipway-${revision.id}-pull` },
    ]);
    const secret = `slipway-${revision.id}-pull`;
    expect(await names(revision.id)).toContain(`secrets/${secret}`);
    // Of one that serves it is renewed.
    await kubernetes().cluster.remove({ ...SECRETS, name: secret });
    await serve(revision);
    const watch = supervise!();
    await until('it is back', async () => (await names(revision.id)).includes(`secrets/${secret}`));
    await watch.stop();
    await driver.stop(revision.id);
    expect(await names(revision.id)).toEqual([]);
  },
);

onFake('a log is kept line by line, once each, however often the connection breaks', async () => {
  const counting = `let n = 0; setInterval(() => console.log('line', ++n), 2);`;
  const started = await deployable({ ...GREETER, 'agent.js': counting + GREETER['agent.js'] });
  const { driver, revision, request } = started;
  const watch = started.supervise!();
  await driver.start(request);
  await serve(revision);
  const counted = async () => (await linesOf(revision)).filter((line) => line.startsWith('line '));
  for (let cut = 1; cut <= 3; cut++) {
    const before = (await counted()).length;
    fake().cutStreams();
    await until('more is kept', async () => (await counted()).length > before + 200);
  }
  await watch.stop();
  const lines = await counted();
  expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
});

test('notices when an active revision is removed from the cluster', async () => {
  const { db } = options();
  const { driver, revision, request, supervise } = await deployable();
  await beginScale(db, revision.id, { least: 1, most: 1 });
  await driver.start(request);
  await serve(revision);
  const made = (await names(revision.id)).length;
  const watch = supervise!();
  const reached = async () =>
    (await db.query('select reached from control_plane.scale where revision_id = $1', [revision.id])).rows[0];
  const { cluster } = kubernetes();
  for (const kind of [DEPLOYMENTS, NETWORK_POLICIES]) {
    await cluster.remove({ ...kind, name: objectName(revision.id) });
    await until('it is missed', async () => (await reached()).reached === DRIFTED);
    // As a scaler does.
    await driver.scale(revision.id, 1, { signal: request.signal });
    await releaseClaim(db, revision.id, 1);
    await until('all of it is there', async () => (await names(revision.id)).length === made);
  }
  await watch.stop();
});

test('orphans are found by their labels and removed', async () => {
  const { driver, revision, request, supervise } = await deployable();
  await driver.start(request);
  await options().db.query('delete from control_plane.instance where revision_id = $1', [revision.id]);
  const watch = supervise!();
  await until('it is gone', async () => (await names(revision.id)).length === 0);
  await watch.stop();
});

onFake('the role in deploy/ allows what was asked', async () => {
  const role = await allowed();
  expect(fake().asked.size).toBeGreaterThan(0);
  expect(Array.from(fake().asked.keys()).filter((what) => !role.includes(what))).toEqual([]);
});
