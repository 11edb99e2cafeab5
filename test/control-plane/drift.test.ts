import { expect, test } from '@jest/globals';
import { activateRevision } from '../../src/control-plane/records/deployment-repository.ts';
import { insertInstance, setInstanceState } from '../../src/control-plane/drivers/instance-repository.ts';
import {
  type ClusterState,
  driftedRevisions,
} from '../../src/control-plane/drivers/kubernetes/cluster-drift.ts';
import { LABELS, type Part } from '../../src/control-plane/drivers/kubernetes/object-names.ts';
import { findRevision, stepRevision } from '../../src/control-plane/records/revision-repository.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { DRIFTED, noteReconciled } from '../../src/control-plane/scaling/drift-repository.ts';
import { claimScale, releaseClaim } from '../../src/control-plane/scaling/scale-claim-repository.ts';
import { beginScale } from '../../src/control-plane/scaling/scale-repository.ts';
import { sweepScale } from '../../src/control-plane/scaling/scale-sweep.ts';
import { insertDeployable, useDriverOptions } from './control-plane-fixture.ts';

const options = useDriverOptions();
const sweep = async () => (await sweepScale({ ...options(), databaseOf: async () => undefined })).drifted;

/** A serving revision with that many instances according to the database; nothing actually runs. */
async function serving(replicas: number, source_config = {}): Promise<RevisionRow> {
  const { db, host } = options();
  const artifact = `sha256:${'0'.repeat(64)}`;
  const revision = await insertDeployable(options(), artifact, { source_config });
  const { id, deployment_id } = revision;
  await beginScale(db, id, { least: replicas, most: replicas });
  for (let replica = 0; replica < replicas; replica++) {
    const key = { revision_id: id, replica };
    const url = `http://127.0.0.1/${id}/${replica}`;
    await insertInstance(db, { ...key, deployment_id, driver: 'process', host, port: null, url });
    await setInstanceState(db, key, 'running');
  }
  await activateRevision(db, deployment_id, { revision_id: id, custom_url: 'x' });
  await stepRevision(db, id, 'DEPLOYED');
  return revision;
}

const query = (sql: string, { id }: RevisionRow) => options().db.query(sql, [id]);
const isReconciled = async ({ id, deployment_id }: RevisionRow) => {
  const { rows } = await options().db.query<{ remote_reconciled: boolean }>(
    'select remote_reconciled from control_plane.deployment where id = $1',
    [deployment_id],
  );
  return [(await findRevision(options().db, id))!.remote_reconciled, rows[0]!.remote_reconciled];
};

test.each([
  ['has fewer replicas', 'delete from control_plane.instance where revision_id = $1 and replica = 1'],
  ['has none', 'delete from control_plane.instance where revision_id = $1'],
  [
    'has one on a host that is gone',
    `update control_plane.instance set lease_until = now() - interval '6 minutes'
     where revision_id = $1 and replica = 0`,
  ],
  [
    'should sleep and does not',
    'update control_plane.scale set replicas = 0, reached = 0 where revision_id = $1',
  ],
  [
    'has lost its number',
    'with gone as (delete from control_plane.scale where revision_id = $1) delete from control_plane.instance where revision_id = $1',
  ],
])(
  'a revision that serves and %s is given to a scaler, once, and is reconciled after that',
  async (_, sql) => {
    const { db } = options();
    const revision = await serving(2);
    expect(await sweep()).toEqual([]);
    await query(sql, revision);
    expect(await sweep()).toEqual([revision.id]);
    expect(await sweep()).toEqual([]);
    expect(await isReconciled(revision)).toEqual([false, false]);
    const task = await claimScale(db, revision.id);
    expect(task).toMatchObject({ reached: DRIFTED });
    expect(await sweep()).toEqual([]);
    await noteReconciled(db, revision.id);
    await releaseClaim(db, revision.id, task!.replicas);
    expect(await isReconciled(revision)).toEqual([true, true]);
    await query(
      `update control_plane.deployment set status = 'AWAITING_DELETE' where active_revision_id = $1`,
      revision,
    );
  },
);

test('ignores inactive revisions, revisions being scaled, and sleeping ones', async () => {
  const asleep = await serving(0, { deployment_type: 'dev_zero' });
  const taken = await serving(1);
  await query('update control_plane.scale set replicas = 2 where revision_id = $1', taken);
  const old = await serving(1);
  await query(
    'update control_plane.deployment set active_revision_id = null where active_revision_id = $1',
    old,
  );
  await query('delete from control_plane.instance where revision_id = $1', old);
  expect(await sweep()).toEqual([]);
  expect(await isReconciled(asleep)).toEqual([true, true]);
});

test('in a cluster: a part is missing, unguarded or of another size; starts and ends are left alone', () => {
  const metadata = (id: string, part: Part | undefined) => ({
    labels: { [LABELS.revision]: id, ...(part && { [LABELS.part]: part }) },
  });
  const deployment = (id: string, part: Part | undefined, replicas = 1) =>
    ({
      metadata: metadata(id, part),
      spec: { replicas, selector: {}, template: {} },
    }) as ClusterState['deployments'][0];
  const row = (revision_id: string, state: 'running' | 'draining' = 'running') => ({ revision_id, state });
  const drifted = ['gone', 'fewer', 'open', 'no-host', 'of-an-older-version'];
  const rows = [
    ...['well', 'well', 'whole', ...drifted, 'fewer'].map((id) => row(id)),
    row('ends', 'draining'),
  ];
  const deployments = [
    deployment('well', 'server', 2),
    deployment('well', 'host', 2),
    deployment('whole', 'agent'),
    deployment('fewer', 'server', 2),
    deployment('fewer', 'host', 1),
    deployment('open', 'server'),
    deployment('open', 'host'),
    deployment('no-host', 'server'),
    deployment('of-an-older-version', undefined),
  ];
  const policies = deployments
    .map((one) => ({ metadata: one.metadata! }))
    .filter(
      ({ metadata: { labels } }) => labels![LABELS.revision] !== 'open' || labels![LABELS.part] === 'server',
    );
  expect([...driftedRevisions(rows, { deployments, policies })]).toEqual(drifted);
});
