import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client as TemporalClient, Connection, type WorkflowHandle } from '@temporalio/client';
import { until } from '../support/until.ts';
import { API_KEY, ask, type PlatformProcess, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';

const platform = usePlatform({ settings: SWEEP_OFTEN });
let api: PlatformProcess;
beforeAll(async () => {
  const env = {
    SLIPWAY_TRAFFIC_FLUSH_SECONDS: '0.2',
    SLIPWAY_CANARY_CHECK_SECONDS: '0.3',
    SLIPWAY_CANARY_MINIMUM: '5',
    SLIPWAY_DRAIN_SECONDS: '1',
  };
  [api] = await Promise.all([
    platform.start('api', { ...env, SLIPWAY_DRIVER: 'docker' }),
    platform.startLocalWorker(env),
  ]);
});

const send = (method: string, path: string, body?: unknown) => ask(api.url, method, path, body);
const is = (path: string, what: string, isSo: (json: any) => boolean) =>
  until(what, async () => isSo((await send('GET', path)).json));

/** A deployment whose first revision is serving. */
async function serving(): Promise<{ id: string; path: string; first: string }> {
  const { json } = await send('POST', '/v2/deployments', {
    name: `agent-${randomUUID()}`,
    source: 'external_container',
    source_revision_config: { image_uri: 'agent:1' },
    secrets: [],
  });
  const path = `/v2/deployments/${json.id}`;
  await is(path, 'it serves', ({ active_revision_id }) => active_revision_id === json.latest_revision_id);
  return { id: json.id, path, first: json.latest_revision_id };
}

async function tried(path: string, image_uri: string, canary: object): Promise<string> {
  const body = { source_revision_config: { image_uri }, canary };
  const { status, json } = await send('PATCH', path, body);
  expect(status).toBe(200);
  const id = json.latest_revision_id as string;
  await is(`${path}/revisions/${id}`, 'it is deployed', (revision) => revision.status === 'DEPLOYED');
  return id;
}

const visit = async (id: string, headers: Record<string, string> = {}, path = '/info') => {
  const answer = await ask(api.url, 'GET', `/d/${id}${path}`, undefined, {
    'x-api-key': API_KEY,
    ...headers,
  });
  return { status: answer.status, by: answer.headers.get('x-slipway-revision') };
};
/** Waits until all traffic goes to one revision; the gateway learns of a change with a delay. */
const allGoTo = (id: string, revision: string) =>
  until(`all goes to ${revision}`, async () => {
    for (let turn = 0; turn < 20; turn++) if ((await visit(id)).by !== revision) return false;
    return true;
  });
/** Undefined if its worker does not respond within Temporal's timeout. */
const progressOf = (workflow: WorkflowHandle) =>
  workflow.query<{ step: number; paused: boolean }>('progress').catch(() => undefined);
const instances = async (id: string) =>
  (await platform.db.query('select from control_plane.instance where revision_id = $1', [id])).rowCount;

test('a failing canary is aborted with its reason; the active revision stays', async () => {
  const { id, path, first } = await serving();
  const canary = await tried(path, 'failing', { percent: 40 });
  const at = `${path}/revisions/${canary}/canary`;
  await is(at, 'it has its share', ({ percent }) => percent === 40);
  expect((await send('GET', path)).json).toMatchObject({ active_revision_id: first });

  const seen: { status: number; by: string | null }[] = [];
  await until('it is aborted', async () => {
    for (let turn = 0; turn < 10; turn++) seen.push(await visit(id));
    return (await send('GET', at)).json.state === 'aborted';
  });
  expect(new Set(seen.map(({ by }) => by))).toEqual(new Set([first, canary]));
  expect(seen.filter(({ by, status }) => by === first && status !== 200)).toEqual([]);
  const { json } = await send('GET', at);
  expect(json).toMatchObject({
    percent: 0,
    reason: expect.stringMatching(/^100\.0 % of \d+ requests failed, and 0\.0 % of \d+ where it is not$/),
    figures: [{ revision_id: canary }, { revision_id: first, failed: 0 }],
  });
  await is(`${path}/traffic`, 'it has no share', ({ canaries }) => canaries.length === 0);
  await allGoTo(id, first);
  for (let turn = 0; turn < 20; turn++) expect(await visit(id)).toEqual({ status: 200, by: first });
  await until('it is gone', async () => (await instances(canary)) === 0);
  expect(await instances(first)).toBe(1);

  const timeline = (await send('GET', `${path}/revisions/${canary}/timeline`)).json.steps;
  expect(timeline.map(({ message }: { message: string }) => message).slice(-3)).toEqual([
    'running as a canary',
    'a canary with 40 % of the threads',
    `aborted: ${json.reason}`,
  ]);
  const audit = (await send('GET', `/v2/audit?target=revision/${canary}`)).json.resources;
  expect(audit[0]).toMatchObject({
    action: 'abortCanary',
    actor: 'canary',
    detail: { reason: json.reason },
  });
  expect((await send('POST', at, { action: 'promote' })).status).toBe(404);
});

test('a canary follows its steps, waits for approval, and takes over after the last', async () => {
  const { id, path, first } = await serving();
  const canary = await tried(path, 'agent:2', {
    steps: [{ percent: 10, minutes: 0.005 }, { percent: 100 }],
  });
  const at = `${path}/revisions/${canary}/canary`;
  await is(at, 'it is at its second step', ({ percent }) => percent === 100);
  await allGoTo(id, canary);
  // A request that names a revision is answered by that one.
  expect((await visit(id, { 'x-slipway-revision': first })).by).toBe(first);
  expect((await visit(id, { 'x-slipway-revision': randomUUID() })).by).toBe(canary);
  expect((await send('GET', path)).json.active_revision_id).toBe(first);

  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const workflow = new TemporalClient({ connection }).workflow.getHandle(`canary/${canary}`);
  const isAt = (step: number, paused: boolean) =>
    until(`it is at step ${step}${paused ? ', paused' : ''}`, async () => {
      const progress = await progressOf(workflow);
      return progress?.step === step && progress.paused === paused;
    });
  await isAt(1, false);
  await send('POST', at, { action: 'pause' });
  await send('POST', at, { action: 'approve' });
  await isAt(1, true);
  expect((await send('GET', at)).json.state).toBe('watched');
  await send('POST', at, { action: 'resume' });
  expect(await workflow.result()).toBe('promoted');
  // While paused, it waits for approval without polling.
  const { events } = await workflow.fetchHistory();
  const looks = events!.filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'judgeCanary',
  );
  const waits = events!.filter((event) => event.timerStartedEventAttributes);
  expect(looks.length - waits.length).toBeLessThanOrEqual(4);
  await connection.close();
  expect((await send('GET', path)).json.active_revision_id).toBe(canary);
  expect((await send('GET', `${path}/traffic`)).json).toMatchObject({
    canaries: [],
    figures: [{ revision_id: canary, failed: 0 }],
  });
  await until('the one before is gone', async () => (await instances(first)) === 0);
  expect((await visit(id)).status).toBe(200);
  expect((await send('GET', at)).json).toMatchObject({ state: 'promoted' });
});

test('a canary without traffic is reachable only at its own URL, and ends when a newer revision takes over', async () => {
  const { id, path, first } = await serving();
  const canary = await tried(path, 'agent:2', {});
  const at = `${path}/revisions/${canary}/canary`;
  expect((await ask(api.url, 'GET', `/r/${canary}/info`)).json.image).toBe('agent:2');
  expect((await visit(id, { 'x-slipway-revision': canary })).by).toBe(first);
  // A canary started by hand is watched too.
  await send('PUT', `${path}/traffic`, { canaries: [{ revision_id: canary, percent: 100 }] });
  await allGoTo(id, canary);

  const { json } = await send('PATCH', path, { source_revision_config: { image_uri: 'agent:3' } });
  await is(at, 'it is aborted', ({ state }) => state === 'aborted');
  expect((await send('GET', at)).json.reason).toContain('newer');
  await allGoTo(id, json.latest_revision_id);
  await until('both are gone', async () => (await instances(canary)) === 0 && (await instances(first)) === 0);
});

test('an approval and a share set before the first step are kept', async () => {
  const { path } = await serving();
  const canary = await tried(path, 'agent:2', { steps: [{ percent: 10 }, { percent: 20 }] });
  const at = `${path}/revisions/${canary}/canary`;
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const { workflow } = new TemporalClient({ connection });
  const watching = workflow.getHandle(`canary/${canary}`);
  await is(at, 'it is at its first step', ({ percent }) => percent === 10);
  const { taskQueue } = await watching.describe();
  const again = async (signal: string) => {
    await watching.terminate('the test begins it again');
    const [{ deployment_id }] = (
      await platform.db.query('select deployment_id from control_plane.canary where revision_id = $1', [
        canary,
      ])
    ).rows as [{ deployment_id: string }];
    await workflow.signalWithStart('watchCanary', {
      taskQueue,
      workflowId: `canary/${canary}`,
      args: [{ revision_id: canary, deployment_id }],
      signal,
    });
  };
  const isAt = (step: number) =>
    until(`it is at step ${step}`, async () => (await progressOf(watching))?.step === step);
  await again('approve');
  await isAt(1);
  await is(at, 'it has the share of its second step', ({ percent }) => percent === 20);

  const { status } = await send('PUT', `${path}/traffic`, {
    canaries: [{ revision_id: canary, percent: 37 }],
  });
  expect(status).toBe(200);
  await again('resume');
  await isAt(0);
  await is(`${path}/revisions/${canary}`, 'its first step is noted', ({ status_message }) =>
    status_message.endsWith('37 % of the threads, set by hand'),
  );
  expect((await send('GET', at)).json).toMatchObject({ percent: 37, state: 'watched' });
  await send('POST', at, { action: 'approve' });
  await is(at, 'the next step sets its own', ({ percent }) => percent === 20);
  await connection.close();
});

test('a canary without an active revision takes over, and one that does not start changes nothing', async () => {
  const { json } = await send('POST', '/v2/deployments', {
    name: `agent-${randomUUID()}`,
    source: 'external_container',
    source_revision_config: { image_uri: 'broken' },
    secrets: [],
  });
  const path = `/v2/deployments/${json.id}`;
  const failed = ({ status }: { status: string }) => status === 'DEPLOY_FAILED';
  await is(`${path}/revisions/${json.latest_revision_id}`, 'nothing serves', failed);
  const only = await tried(path, 'agent:1', { percent: 5 });
  await is(path, 'it serves', ({ active_revision_id }) => active_revision_id === only);
  const body = { source_revision_config: { image_uri: 'broken' }, canary: { percent: 5 } };
  const broken = (await send('PATCH', path, body)).json.latest_revision_id as string;
  await is(`${path}/revisions/${broken}`, 'it failed', failed);
  expect((await send('GET', `${path}/revisions/${broken}/canary`)).status).toBe(404);
  expect((await visit(json.id)).by).toBe(only);
  for (const canary of [{ percent: 101 }, { steps: [] }, { guard: { margin: -1 } }])
    expect((await send('PATCH', path, { ...body, canary })).status).toBe(422);
});

test('admins can read the metrics of all revisions', async () => {
  const { id, first } = await serving();
  await visit(id);
  const answer = await fetch(`${api.url}/metrics`, {
    headers: { 'x-api-key': platform.env['SLIPWAY_API_KEY']! },
  });
  expect(await answer.text()).toContain(
    `slipway_gateway_requests_total{revision_id="${first}",result="answered"} 1`,
  );
  expect((await fetch(`${api.url}/metrics`)).status).toBe(401);
});
