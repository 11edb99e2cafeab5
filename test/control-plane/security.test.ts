import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import pg from 'pg';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { setDeploymentStatus } from '../../src/control-plane/records/deployment-repository.ts';
import { databaseName, findAgentDatabase } from '../../src/control-plane/drivers/agent-database.ts';
import { ensureGatewayToken } from '../../src/control-plane/gateway/gateway-token.ts';
import { instanceFolder } from '../../src/control-plane/drivers/process/instance-folder.ts';
import { DeploymentWorkflows } from '../../src/control-plane/deployment-workflows.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { forbiddenTargets, reachBody } from '../support/reach.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { ATTACKER } from '../support/attacker-project.ts';
import { dumpDatabase } from '../support/dump-database.ts';
import { ask, type PlatformProcess, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { insertDeployable, placeArtifact } from './control-plane-fixture.ts';

// Two tenants on one machine: one tenant's agent attacks the platform and the other tenant.
const MARKER = `marker-${randomUUID()}`;
// Must run before the platform ends, because agents outlive it.
afterAll(async () => {
  for (const { deployment_id } of [victim, attacker].filter(Boolean)) {
    await setDeploymentStatus(platform.db, deployment_id, 'AWAITING_DELETE');
    await workflows.remove(deployment_id);
  }
  await until('nothing of them is left', async () => {
    const { rowCount } = await platform.db.query('select from control_plane.deployment');
    return rowCount === 0;
  });
  await connection.close();
});
const platform = usePlatform({ settings: SWEEP_OFTEN });
let process_: PlatformProcess;
let connection: Connection;
let workflows: DeploymentWorkflows;
let victim: RevisionRow;
let attacker: RevisionRow;
let operator: string;
let victimPort: number;
let victimFolder: string;

beforeAll(async () => {
  process_ = await platform.start('platform', {
    SLIPWAY_CANARY_CHECK_SECONDS: '0.3',
    SLIPWAY_CANARY_MINIMUM: '5',
  });
  connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const taskQueue = `slipway-${platform.name}`;
  workflows = new DeploymentWorkflows({
    client: new Client({ connection }),
    taskQueue,
    buildQueue: `${taskQueue}-builds`,
    deadlineMs: PATIENCE_MS,
  });
  operator = newApiKey();
  await insertApiKey(platform.db, operator, { tenant_id: null, name: 'operator', role: 'admin' });
  await writeFile(join(platform.dataDir, 'secret-key'), 'the key of the platform', { mode: 0o600 });
  const artifact = await placeArtifact(platform.dataDir, ATTACKER);
  [victim, attacker] = await Promise.all([deploy(artifact, MARKER), deploy(artifact, 'none of that one')]);
  const { rows } = await platform.db.query<{ port: number; replica: number }>(
    'select port, replica from control_plane.instance where revision_id = $1',
    [victim.id],
  );
  victimPort = rows[0]!.port;
  victimFolder = instanceFolder(platform.dataDir, {
    revision_id: victim.id,
    replica: rows[0]!.replica,
  }).dir;
});

async function deploy(artifact: string, marker: string, deployment_id?: string): Promise<RevisionRow> {
  const { db } = platform;
  const box = new SealedBox([platform.env['SLIPWAY_SECRET_KEY']!]);
  const revision = await insertDeployable({ db, box }, artifact, {
    environment: { MARKER: marker },
    untouched: true,
    ...(deployment_id && { deployment_id }),
  });
  await workflows.submit(revision.deployment_id, { revision_id: revision.id, pinned: false });
  if (!marker.startsWith('breaks'))
    await until('it serves', async () => (await statusOf(revision.id)) === 'DEPLOYED');
  return revision;
}
const statusOf = async (id: string) =>
  (
    await platform.db.query<{ status: string }>('select status from control_plane.revision where id = $1', [
      id,
    ])
  ).rows[0]!.status;

const agentOf = ({ deployment_id }: RevisionRow) =>
  new AgentClient({ apiUrl: `${process_.url}/d/${deployment_id}`, apiKey: operator });

/** The result of code in the attacker's process: its value, or its error code. */
async function attempt(code: string, who = attacker): Promise<{ value?: any; error?: string }> {
  const { said } = (await agentOf(who).runs.wait(null, 'agent', { input: { said: code } })) as {
    said: string;
  };
  return JSON.parse(said) as { value?: any; error?: string };
}

const isolated = process.platform === 'linux' && process.getuid?.() === 0;
const ifIsolated = isolated ? test : test.skip;
// It has its own /tmp, without anything of the platform.
const NOT_SEEN = { error: expect.stringMatching(/EACCES|ENOENT/) };

test('its environment has nothing of the platform', async () => {
  const { value } = await attempt('return process.env');
  expect(value).toMatchObject({ MARKER: 'none of that one' });
  const ours = Object.keys(value).filter((name) => /^(DATABASE_URL|TEMPORAL_|SLIPWAY_)/.test(name));
  expect(ours).toEqual(['SLIPWAY_LOG_LEVEL']);
  const text = JSON.stringify(value);
  for (const name of ['SLIPWAY_SECRET_KEY', 'SLIPWAY_API_KEY', 'DATABASE_URL'])
    expect(text).not.toContain(platform.env[name]);
  expect(text).not.toContain(MARKER);
});

// Only root on Linux can set up other users and namespaces.
ifIsolated('it sees no other process, and the environment and memory of none', async () => {
  const { value } = await attempt(`
    const { readdirSync, readFileSync } = require('node:fs');
    return readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => {
      try { return readFileSync('/proc/' + pid + '/environ', 'utf8'); } catch { return ''; }
    }).join('|');`);
  expect(value).not.toContain(platform.env['SLIPWAY_SECRET_KEY']);
  expect(value).not.toContain(MARKER);
  const killed = await attempt(`process.kill(${process_.child.pid}, 'SIGKILL')`);
  expect(killed.error).toMatch(/ESRCH|EPERM/);
  expect(await attempt('return process.getuid()')).not.toEqual({ value: 0 });
  expect((await attempt('process.setuid(0)')).error).toBe('EPERM');
});

ifIsolated('it reads and writes no file of the platform or of another deployment', async () => {
  const { dataDir } = platform;
  const folder = victimFolder;
  const secret = [join(dataDir, 'secret-key'), join(folder, 'output.log')];
  for (const file of secret)
    expect(await attempt(`return require('node:fs').readFileSync('${file}', 'utf8')`)).toEqual(NOT_SEEN);
  for (const dir of [
    dataDir,
    join(dataDir, 'artifacts'),
    join(dataDir, 'instances'),
    folder,
    join(folder, 'work'),
  ])
    expect(await attempt(`return require('node:fs').readdirSync('${dir}')`)).toEqual(NOT_SEEN);
  const artifact = artifactFolder(dataDir, attacker.artifact!);
  for (const file of [
    join(artifact, 'agent.js'),
    join(artifact, 'new'),
    join(dataDir, 'new'),
    join(folder, 'new'),
  ])
    expect((await attempt(`require('node:fs').writeFileSync('${file}', 'x')`)).error).toMatch(
      /EACCES|EROFS|ENOENT/,
    );
});

test('its Postgres role can access only its own database', async () => {
  const box = new SealedBox([platform.env['SLIPWAY_SECRET_KEY']!]);
  const own = await findAgentDatabase(
    { db: platform.db, box, databaseUrl: platform.env['DATABASE_URL']! },
    attacker.deployment_id,
  );
  const asking = async (database: string, sql: string): Promise<{ value?: any; error?: string }> => {
    const url = new URL(own!);
    if (database) url.pathname = database;
    const client = new pg.Client({ connectionString: url.href });
    try {
      await client.connect();
      return { value: (await client.query(sql)).rows };
    } catch (error) {
      return { error: (error as { code: string }).code };
    } finally {
      await client.end().catch(() => {});
    }
  };
  expect((await asking('', 'select current_user as name')).value).toEqual([
    { name: databaseName(attacker.deployment_id) },
  ]);
  const platforms = new URL(platform.env['DATABASE_URL']!).pathname.slice(1);
  for (const database of [platforms, databaseName(victim.deployment_id)])
    expect(await asking(database, 'select 1')).toEqual({ error: '42501' });
  for (const [sql, code] of [
    ['select * from control_plane.deployment', '42P01'],
    [`select pg_read_file('/etc/passwd')`, '42501'],
    [`select pg_ls_dir('.')`, '42501'],
    [`copy (select 1) to program 'id'`, '42501'],
    [`copy (select 1) to '/tmp/x'`, '42501'],
    [`select lo_import('/etc/passwd')`, '42501'],
    ['select * from pg_authid', '42501'],
    ['create role another superuser', '42501'],
    ['create database another', '42501'],
    [`alter role ${databaseName(victim.deployment_id)} password 'known'`, '42501'],
    [`set role ${databaseName(victim.deployment_id)}`, '42501'],
    [
      `select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user and usename is not null`,
      '42501',
    ],
  ] as const)
    expect([sql, await asking('', sql)]).toEqual([sql, { error: code }]);
  const activity = await asking('', `select query from pg_stat_activity where usename <> current_user`);
  for (const { query } of activity.value) expect(query).toMatch(/^(<insufficient privilege>)?$/);
});

test('an agent answers only health checks unless the request comes from its gateway', async () => {
  const asked = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`http://127.0.0.1:${victimPort}${path}`, init);
    return [answer.status, await answer.text()];
  };
  expect(await asked('/ok')).toEqual([200, '{"ok":true}']);
  const refused = [401, expect.stringContaining('gateway')];
  for (const path of ['/info', '/metrics', '/ok/../info']) expect(await asked(path)).toEqual(refused);
  for (const token of ['', 'another token of sixteen']) {
    const headers = { 'content-type': 'application/json', 'x-slipway-gateway-token': token };
    expect(await asked('/threads/search', { method: 'POST', body: '{}', headers })).toEqual(refused);
  }
  expect(await agentOf(victim).threads.search()).toEqual(expect.any(Array));
});

ifIsolated(
  'it reaches neither Postgres nor Temporal, with real clients, nor any port of this machine',
  async () => {
    const sql = await attempt(`
    const { Client } = require('pg');
    const client = new Client({ connectionString: '${platform.env['DATABASE_URL']}', connectionTimeoutMillis: 5000 });
    await client.connect();
    return 'connected';`);
    expect(sql).toEqual({ error: 'ECONNREFUSED' });
    const grpc = await attempt(`
    const { Connection } = require('@temporalio/client');
    await Connection.connect({ address: '${platform.env['TEMPORAL_ADDRESS']}', connectTimeout: '3s' });
    return 'connected';`);
    expect(grpc.error).toMatch(/connect|UNAVAILABLE|deadline|14/i);
    const targets = forbiddenTargets();
    expect(targets.map(([, port]) => port)).toEqual(expect.arrayContaining([victimPort]));
    expect(await attempt(reachBody(targets))).toEqual({ value: [] });
  },
);

test('a deployment’s webhook cannot reach the platform’s machine, however the address is spelled', async () => {
  const { port } = new URL(process_.url);
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::]', 'localhost']) {
    const webhook = `http://${host}:${port}/ok`;
    const asked = agentOf(victim).runs.create(null, 'agent', { input: { said: 'return 1' }, webhook });
    await expect(asked).rejects.toMatchObject({ status: 422, message: expect.stringContaining('private') });
  }
});

ifIsolated('two tenants on the process driver are refused where there is no fence', async () => {
  await expect(platform.start('worker', { PATH: '/nonexistent' })).rejects.toThrow(
    /cannot run agents of more than one tenant: .*install slirp4netns \(or passt\) and nftables/,
  );
});

test('the gateway’s token is stored encrypted, and part of no run', async () => {
  const box = new SealedBox([platform.env['SLIPWAY_SECRET_KEY']!]);
  const token = await ensureGatewayToken({ db: platform.db, box }, victim.id);
  expect(await attempt('return process.env.SLIPWAY_GATEWAY_TOKEN', victim)).toEqual({ value: null });
  const agents = await dump(databaseName(victim.deployment_id));
  expect(agents.includes('SLIPWAY_GATEWAY_TOKEN')).toBe(true);
  for (const text of [agents, await dump(), process_.logs()]) expect(text.includes(token)).toBe(false);
});

test('an agent’s locations include the gateway’s path, so that clients can resume streams', async () => {
  const base = `${process_.url}/d/${attacker.deployment_id}`;
  const card = (await (await fetch(`${base}/a2a/agent`, { headers: { 'x-api-key': operator } })).json()) as {
    url: string;
  };
  expect(card.url).toMatch(new RegExp(`^${base}/a2a/[0-9a-f-]{36}$`));
  const asked = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: {} };
  const answer = await fetch(card.url, {
    method: 'POST',
    body: JSON.stringify(asked),
    headers: { 'content-type': 'application/json', 'x-api-key': operator },
  });
  expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32_602 } });

  const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
  const allowed = await fetch(`${base}/threads`, { method: 'OPTIONS', headers: preflight });
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, null]);

  const answered: string[] = [];
  const agent = new AgentClient({
    apiUrl: base,
    apiKey: operator,
    callerOptions: {
      fetch: async (...asked: Parameters<typeof fetch>) => {
        const answer = await fetch(...asked);
        answered.push(answer.url);
        return answer;
      },
    },
  });
  const { thread_id } = await agent.threads.create();
  const code =
    'while (!globalThis.isJoined) await new Promise((resolve) => setTimeout(resolve, 50)); return 7';
  let run_id = '';
  const options = {
    input: { said: code },
    streamResumable: true,
    onRunCreated: (run: { run_id: string }) => void (run_id = run.run_id),
  };
  for await (const { event } of agent.runs.stream(thread_id, 'agent', options))
    if (event === 'metadata') break;
  const events: string[] = [];
  const sending = (async () => {
    for await (const { event } of agent.runs.joinStream(thread_id, run_id)) events.push(event);
  })();
  await until('it has joined', () => answered.some((at) => at.includes(`/runs/${run_id}/stream`)));
  await attempt('globalThis.isJoined = true');
  await sending;
  expect(events).toContain('values');
});

const dump = (database?: string) => dumpDatabase(platform.env['DATABASE_URL']!, database);

const SPELLINGS = [
  MARKER,
  Buffer.from(MARKER).toString('hex'),
  // The part of the base64 that does not depend on its position in a text.
  ...[0, 1, 2].map((before) =>
    Buffer.from('x'.repeat(before) + MARKER)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  ),
];
const tells = (text: string): string[] => SPELLINGS.filter((spelling) => text.includes(spelling));

/** Sends the secret to the API in every way: correctly, again, as a replacement, and wrongly. */
async function sendSecrets(headers: Record<string, string>) {
  const send = (method: string, path: string, body: unknown) =>
    ask(process_.url, method, path, body, { ...headers, 'idempotency-key': randomUUID() });
  const valid = {
    name: `told-${randomUUID()}`,
    source: 'git_host',
    // A private address: nothing is fetched from there.
    source_config: { repo_url: 'https://127.0.0.1/agent.git' },
    secrets: [{ name: 'MARKER', value: MARKER }],
  };
  const wrong = [
    { ...valid, secrets: [{ name: 'no name', value: MARKER }] },
    { ...valid, secrets: [{ name: 'MARKER', value: { nested: MARKER } }] },
    { ...valid, secrets: MARKER },
    { ...valid, secrets: [{ [MARKER]: 'MARKER' }], source: MARKER },
    `{ "secrets": [{ "name": "MARKER", "value": "${MARKER}" ${MARKER}`,
  ];
  const answers: string[] = [];
  for (const body of wrong) {
    const { status, json } = await send('POST', '/v2/deployments', body);
    expect(status).toBe(422);
    answers.push(JSON.stringify(json));
  }
  const { status, json } = await send('POST', '/v2/deployments', valid);
  expect(status).toBe(201);
  const path = `/v2/deployments/${json.id}`;
  const merged = await send('PATCH', path, { secrets: valid.secrets, secrets_mode: 'merge' });
  expect(merged.status).toBe(200);
  answers.push(JSON.stringify(json), JSON.stringify(merged.json));
  const revision_id = merged.json.latest_revision_id as string;
  await until('it failed', async () => (await statusOf(revision_id)) === 'BUILD_FAILED');
  return { answers, deployment_id: json.id as string, revision_id, path };
}

test('a secret is in no logs, histories, responses or database rows', async () => {
  // The agent prints its secret at startup; one that crashes includes it in its last output.
  const broken = await placeArtifact(platform.dataDir, {
    ...ATTACKER,
    'agent.js': `throw new Error('it breaks with ' + process.env.MARKER);`,
  });
  const failed = await deploy(broken, `breaks ${MARKER}`, victim.deployment_id);
  await until('it failed', async () => (await statusOf(failed.id)) === 'DEPLOY_FAILED');
  await until('its words are kept', async () => (await dump()).includes('starting with ***'));

  const { rows } = await platform.db.query<{ tenant_id: string }>(
    'select tenant_id from control_plane.deployment where id = $1',
    [victim.deployment_id],
  );
  const headers = { 'x-api-key': operator, 'x-tenant-id': rows[0]!.tenant_id };
  const sent = await sendSecrets(headers);
  expect(tells(sent.answers.join('\n'))).toEqual([]);
  expect(tells(await dump())).toEqual([]);
  const path = `/v2/deployments/${victim.deployment_id}`;
  const revision = `${path}/revisions/${failed.id}`;
  const logs = `/v1/projects/${victim.deployment_id}`;
  const answers = await Promise.all(
    [
      path,
      '/v2/deployments',
      `${path}/revisions`,
      revision,
      `${revision}/timeline`,
      `${path}/traffic`,
      '/v2/audit',
      '/v1/projects',
      `${logs}/revisions`,
      '/metrics',
      `/api-host${path}`,
    ].map(async (at) => (await fetch(process_.url + at, { headers })).text()),
  );
  const logged = await ask(process_.url, 'POST', `${logs}/deploy_logs`, { limit: 100 }, headers);
  const message = (await ask(process_.url, 'GET', revision, undefined, headers)).json.status_message;
  expect(message).toContain('it breaks with ***');
  expect(tells([...answers, JSON.stringify(logged.json), process_.logs()].join('\n'))).toEqual([]);

  const client = new Client({ connection });
  const histories: string[] = [];
  for (const id of [victim.deployment_id, victim.id, failed.id, sent.deployment_id, sent.revision_id]) {
    for await (const { workflowId, runId } of client.workflow.list({
      query: `WorkflowId STARTS_WITH '${id}' or WorkflowId = 'deployment/${id}' or WorkflowId = 'revision/${id}'`,
    })) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      // Payloads are base64 of JSON there.
      const text = historyToJSON(history);
      histories.push(
        text,
        ...[...text.matchAll(/"data": ?"([^"]*)"/g)].map(([, data]) =>
          Buffer.from(data!, 'base64').toString(),
        ),
      );
    }
  }
  expect(histories.length).toBeGreaterThan(2);
  expect(tells(histories.join('\n'))).toEqual([]);
  expect((await ask(process_.url, 'DELETE', sent.path, undefined, headers)).status).toBe(204);
});
