import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findTemporalCli } from '../../src/platform/embedded/temporal-cli.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { startSlipway } from '../support/slipway-command.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const run = promisify(execFile);
const plane = useControlPlane();
let api: Caller;
let key: string;
let cli: string;
let names = 0;

beforeAll(async () => {
  key = await plane.key('deployer');
  api = new Caller(plane.url, { 'x-api-key': key });
  cli = await findTemporalCli(process.env, () => {});
});

async function create(environment: Record<string, string> = {}, source_config: object = {}) {
  const name = `agent-${++names}`;
  const { status, json } = await api.post('/v2/deployments', {
    name,
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/agents/agent.git', ...source_config },
    source_revision_config: { repo_ref: 'main' },
    secrets: Object.entries(environment).map(([name, value]) => ({ name, value })),
  });
  expect(status).toBe(201);
  return { name, id: json.id as string, first: json.latest_revision_id as string };
}

const revision = async (id: string, of: string) =>
  (await api.get(`/v2/deployments/${id}/revisions/${of}`)).json;
const reaches = (id: string, of: string, status: string) =>
  api.until(`/v2/deployments/${id}/revisions/${of}`, ({ json }) => json.status === status);

/** `temporal …`, as an operator or CI runs it. */
async function temporal(...args: string[]): Promise<{ code: number; output: string }> {
  const address = ['--address', process.env['TEST_TEMPORAL_ADDRESS']!];
  return run(cli, [...args, ...address], { timeout: PATIENCE_MS }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

const revise = (input: object, workflowId: string = randomUUID()) =>
  temporal(
    'workflow',
    'execute',
    '--type=reviseDeployment',
    `--workflow-id=${workflowId}`,
    `--task-queue=${plane.taskQueue}`,
    `--input=${JSON.stringify(input)}`,
    '--output=json',
  );
const signal = (id: string, name: string) =>
  temporal('workflow', 'signal', '--workflow-id', `revision/${id}`, '--name', name);
const resultOf = ({ output }: { output: string }) => JSON.parse(output).result;

describe('reviseDeployment, started by the Temporal CLI', () => {
  test('creates a revision and waits until it is active; one workflow id is one revision', async () => {
    const { id, name, first } = await create({ GREETING: 'hello' });
    await reaches(id, first, 'DEPLOYED');
    const workflowId = randomUUID();
    const input = { name, tenant_id: plane.tenant, repo_ref: 'next', reason: 'a new model' };
    const made = resultOf(await revise(input, workflowId));
    expect(made).toEqual({
      deployment_id: id,
      revision_id: expect.any(String),
      status: 'DEPLOYED',
      status_message: null,
      url: `${plane.url}/d/${id}`,
    });
    expect(await revision(id, made.revision_id)).toMatchObject({
      source_revision_config: { repo_ref: 'next' },
      reason: 'a new model',
      created_by: `temporal:${workflowId}`,
    });
    // The revision keeps the environment, which appears nowhere in Temporal's data.
    expect(await plane.driver.ask(made.revision_id)).toMatchObject({ greeting: 'hello' });
    expect(resultOf(await revise(input, workflowId))).toEqual(made);
    expect((await api.get(`/v2/deployments/${id}/revisions`)).json.resources).toHaveLength(2);

    const back = resultOf(await revise({ deployment_id: id, redeploy_revision_id: first }));
    expect(await revision(id, back.revision_id)).toMatchObject({ status: 'DEPLOYED' });
    expect(plane.builder.built).not.toContain(back.revision_id);
    const accepted = resultOf(await revise({ deployment_id: id, wait: false }));
    await reaches(id, accepted.revision_id, 'DEPLOYED');
  });

  test('fails with the revision, and reports invalid input', async () => {
    const { id, first } = await create({ BUILD_FAILS: 'no such package: left-pad' });
    await reaches(id, first, 'BUILD_FAILED');
    const workflowId = randomUUID();
    for (const _attempt of [1, 2]) {
      const failed = await revise({ deployment_id: id }, workflowId);
      expect(failed.code).not.toBe(0);
      expect(failed.output).toContain('was not deployed: BUILD_FAILED: no such package: left-pad');
    }
    // A failed revision is retried under the same id.
    expect((await api.get(`/v2/deployments/${id}/revisions`)).json.resources).toHaveLength(3);
    const cases: [object, string][] = [
      [{ deployment_id: id, secrets: [{ name: 'A', value: 'B' }] }, 'stay in the history'],
      [{ deployment_id: randomUUID() }, 'There is no deployment'],
      [{ repo_ref: 'main' }, 'Give deployment_id'],
      [{ deployment_id: id, redeploy_revision_id: first }, 'it was never built'],
      [{ deployment_id: id, image_uri: 'x' }, 'image_uri does not apply to source git_host'],
      [{ deployment_id: id, branch: 'main' }, 'branch'],
    ];
    const answers = await Promise.all(cases.map(([input]) => revise(input)));
    for (const [index, { code, output }] of answers.entries()) {
      expect(code).not.toBe(0);
      expect(output).toContain(cases[index]![1]);
    }
  });
});

describe('a revision that must be approved', () => {
  const gated = (environment?: Record<string, string>) => create(environment, { requires_approval: true });
  const waits = async (id: string, of: string) => {
    const { json } = await api.until(
      `/v2/deployments/${id}/revisions/${of}`,
      ({ json }) => json.status_message === 'waiting for approval',
    );
    expect(json.status).toBe('AWAITING_DEPLOY');
  };

  test('waits after the build, and is deployed when approved, which is recorded', async () => {
    const { id, name, first } = await gated();
    await waits(id, first);
    const path = `/v2/deployments/${id}/revisions/${first}`;
    const viewer = new Caller(plane.url, { 'x-api-key': await plane.key('viewer') });
    expect((await viewer.post(`${path}/approve`)).status).toBe(403);
    const env = { SLIPWAY_URL: plane.url, SLIPWAY_API_KEY: key };
    expect((await startSlipway(['approve', first, '--name', name], env).ended).code).toBe(0);
    expect((await api.post(`${path}/approve`)).status).toBe(200);
    const { steps } = (await api.get(`${path}/timeline`)).json;
    expect(steps.map(({ message }: { message: string }) => message)).toContain('approved by a deployer');

    // A rollback to an approved revision needs no approval, but must not bypass the gate.
    const { json } = await api.post(`${path}/redeploy`);
    await reaches(id, json.latest_revision_id, 'DEPLOYED');
    const never = (await api.post(`/v2/deployments/${id}/revisions`, {})).json.id;
    await waits(id, never);
    await api.post(`/v2/deployments/${id}/revisions/${never}/interrupt`);
    await reaches(id, never, 'INTERRUPTED');
    const around = (await api.post(`/v2/deployments/${id}/revisions/${never}/redeploy`)).json
      .latest_revision_id;
    await waits(id, around);

    // An operator in the Temporal UI.
    expect((await signal(around, 'approve')).code).toBe(0);
    await reaches(id, around, 'DEPLOYED');
    const admin = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
    const { resources } = (await admin.get(`/v2/audit?action=approveRevision`)).json;
    expect(resources.map(({ actor, target }: { actor: string; target: string }) => [actor, target])).toEqual([
      ['an operator of Temporal', `revision/${around}`],
      ['a deployer', `revision/${first}`],
    ]);
  });

  test('needs no approval if none is required, and fails if no one approves', async () => {
    const { id, first } = await create();
    await reaches(id, first, 'DEPLOYED');
    expect((await api.post(`/v2/deployments/${id}/revisions/${first}/approve`)).status).toBe(400);
    const { config } = plane.deps;
    const before = config.SLIPWAY_APPROVAL_TIMEOUT_SECONDS;
    config.SLIPWAY_APPROVAL_TIMEOUT_SECONDS = 1;
    config.SLIPWAY_REQUIRE_APPROVAL = true;
    try {
      const { latest_revision_id } = (
        await api.patch(`/v2/deployments/${id}`, { source_revision_config: { repo_ref: 'next' } })
      ).json;
      const { json } = await reaches(id, latest_revision_id, 'DEPLOY_FAILED');
      expect(json.status_message).toBe('not approved in time');
    } finally {
      config.SLIPWAY_APPROVAL_TIMEOUT_SECONDS = before;
      config.SLIPWAY_REQUIRE_APPROVAL = false;
    }
    expect((await api.get(`/v2/deployments/${id}`)).json.active_revision_id).toBe(first);
  });
});

describe('an operator in the Temporal UI', () => {
  test('can repeat a build, interrupt it, and see its steps with their times', async () => {
    const { id, first } = await create({ BUILD_SECONDS: '600' });
    await reaches(id, first, 'BUILDING');
    await until('it builds', async () => plane.builder.running === 1);
    const began = () => api.post(`/v1/projects/${id}/revisions/${first}/build_logs`, { query: 'building' });
    expect((await signal(first, 'retry')).code).toBe(0);
    await until('it builds anew', async () => (await began()).json.logs.length > 1);
    const { output } = await temporal('workflow', 'metadata', '--workflow-id', `revision/${first}`);
    expect(output).toMatch(
      /\| \d{4}-\d\d-\d\dT[\d:.]+Z \| waiting for a builder, then building \| \d+\.\d s \|/,
    );
    expect(output).toContain('restarted by an operator');
    expect((await signal(first, 'interrupt')).code).toBe(0);
    await reaches(id, first, 'INTERRUPTED');
    await until('nothing builds', async () => plane.builder.running === 0);
    // The deployment continues with the next revision.
    const next = (await api.patch(`/v2/deployments/${id}`, { secrets: [{ name: 'A', value: 'B' }] })).json;
    await reaches(id, next.latest_revision_id, 'DEPLOYED');
  });
});
