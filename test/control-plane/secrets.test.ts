import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
const secret = `secret-${randomUUID()}`;
let api: Caller;
let id: string;
let revision: string;

beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
  const { json } = await api.post(
    '/v2/deployments',
    {
      name: 'secretive',
      source: 'git_host',
      source_config: { repo_url: 'https://git.example.com/acme/agent.git' },
      source_revision_config: { repo_ref: 'main' },
      secrets: [{ name: 'GREETING', value: secret }],
    },
    { 'idempotency-key': 'once' },
  );
  id = json.id;
  revision = json.latest_revision_id;
  await api.until(`/v2/deployments/${id}`, (answer) => answer.json.active_revision_id === revision);
});

test('the agent has it, but no response reveals it', async () => {
  expect(await plane.driver.ask(revision)).toMatchObject({ greeting: secret });
  for (const path of ['', '/revisions', `/revisions/${revision}`, `/revisions/${revision}/timeline`])
    expect((await api.get(`/v2/deployments/${id}${path}`)).text).not.toContain(secret);
});

test('no workflow history contains it', async () => {
  for (const workflow of [`deployment/${id}`, `revision/${revision}`]) {
    const history = await plane.client.workflow.getHandle(workflow).fetchHistory();
    const text = String(historyToJSON(history));
    const payloads = [...text.matchAll(/"data":\s*"([^"]*)"/g)].map(([, data]) => atob(data!));
    expect(payloads.join()).toContain(revision);
    expect(text + payloads.join()).not.toContain(secret);
  }
});

test('no row of the database contains it, as text or bytes', async () => {
  const { db } = plane.deps;
  const { rows: tables } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'control_plane'`,
  );
  expect(tables.length).toBeGreaterThan(6);
  const forms = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')];
  for (const { name } of tables) {
    const { rows } = await db.query<{ text: string }>(`select r::text as text from control_plane.${name} r`);
    const text = rows.map((row) => row.text).join('\n');
    for (const form of forms) expect(text.includes(form)).toBe(false);
  }
});
