import { beforeAll, expect, test } from '@jest/globals';
import {
  findIntegration,
  openCredentials,
  openWebhookSecret,
} from '../../src/control-plane/integrations/integration-repository.ts';
import {
  findDeploymentStanding,
  findServing,
} from '../../src/control-plane/records/deployment-repository.ts';
import { findRevision, stepRevision } from '../../src/control-plane/records/revision-repository.ts';
import { takeOver } from '../../src/control-plane/revisions/take-over.ts';
import { openEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { inTransaction, type Queryable } from '../../src/platform/db/database.ts';
import { behindLocks } from '../support/behind-locks.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
let api: Caller;
let names = 0;

beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
});

async function create(): Promise<string> {
  const { json } = await api.post('/v2/deployments', {
    name: `concurrent-${++names}`,
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/agents/agent.git' },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'agents/langgraph.json' },
    secrets: [{ name: 'MODEL_KEY', value: 'sk-1' }],
  });
  return json.id as string;
}

test('a change that waited for another builds on it', async () => {
  const id = await create();
  const patch = (repo_ref: string) => () =>
    api.patch(`/v2/deployments/${id}`, { source_revision_config: { repo_ref } });
  await behindLocks(plane.deps.db, (tx) => findServing(tx, id), [patch('one'), patch('two')]);
  const { latest_revision_id } = (await api.get(`/v2/deployments/${id}`)).json;
  const revision = (await findRevision(plane.deps.db, latest_revision_id))!;
  expect(revision.source_revision_config).toMatchObject({ graph_config_path: 'agents/langgraph.json' });
  expect(openEnvironment(plane.deps.box, revision.id, revision.environment)).toEqual([
    { name: 'MODEL_KEY', value: 'sk-1' },
  ]);
});

test('changes of an integration keep the webhook secret that was rotated before them', async () => {
  const { db, box } = plane.deps;
  const { json } = await api.post('/v2/integrations', { name: 'acme', kind: 'github' });
  const path = `/v2/integrations/${json.id}`;
  const hold = (tx: Queryable) =>
    tx.query('select from control_plane.integration where id = $1 for update', [json.id]);
  const [rotated] = await behindLocks(db, hold, [
    () => api.post(`${path}/webhook-secret`, {}),
    () => api.patch(path, { token: 'ghp_1' }),
  ]);
  const found = (await findIntegration(db, json.id))!;
  expect(openCredentials(box, found)).toEqual({ token: 'ghp_1' });
  expect(openWebhookSecret(box, found)).toBe(
    rotated!.status === 'fulfilled' && rotated!.value.json.webhook_secret,
  );
});

test('a revision that failed while it cut over does not serve', async () => {
  const { db, config } = plane.deps;
  const id = await create();
  const { latest_revision_id: revision } = (await api.get(`/v2/deployments/${id}`)).json;
  await api.until(`/v2/deployments/${id}/revisions/${revision}`, ({ json }) => json.status === 'DEPLOYED');
  await db.query(`update control_plane.revision set status = 'DEPLOYING' where id = $1`, [revision]);
  await db.query(
    'update control_plane.deployment set active_revision_id = null, latest_revision_id = null where id = $1',
    [id],
  );
  const [outcome] = await behindLocks(db, (tx) => stepRevision(tx, revision, 'DEPLOY_FAILED'), [
    () => inTransaction(db, (tx) => takeOver(tx, config, id, revision)),
  ]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StepRefused' } });
  expect((await findDeploymentStanding(db, id))!.active_revision_id).toBeNull();
});
