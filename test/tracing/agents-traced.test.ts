import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import { deploy } from '../../src/deploy-client/deploy.ts';
import { PlatformApi } from '../../src/deploy-client/platform-api.ts';
import { packProject } from '../../src/deploy-client/project-archive.ts';
import { LINK } from '../control-plane/build-setting.ts';
import { ESM, project } from '../support/agent-project.ts';
import { startAgentServer } from '../support/agent-server.ts';
import { until } from '../support/until.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

let started: PlatformProcess;
let folder: string;
let deploymentId: string;

// Must run before the platform ends, because its agents outlive it.
afterAll(async () => {
  await ask(started.url, 'DELETE', `/v2/deployments/${deploymentId}`);
  await until('it is gone', async () => {
    return (await ask(started.url, 'GET', `/v2/deployments/${deploymentId}`)).status === 404;
  });
  const { rows } = await platform.db.query(`select 1 from control_plane.api_key where role = 'tracer'`);
  expect(rows).toEqual([]);
  await rm(folder, { recursive: true });
});

const platform = usePlatform();

const FILES = {
  'package.json': '{"type":"module"}',
  'graph.json': '{"graphs":{"agent":"./agent.js:graph"}}',
  'agent.js': `
    import { FakeListChatModel } from '@langchain/core/utils/testing';
    import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
    const model = new FakeListChatModel({ responses: [process.env.LANGSMITH_API_KEY] });
    const talk = async ({ messages }) => ({ messages: [await model.invoke(messages)] });
    export const graph = new StateGraph(MessagesAnnotation).addNode('talk', talk).addEdge(START, 'talk').compile();`,
};

beforeAll(async () => {
  await chmod(platform.dataDir, 0o711);
  folder = await mkdtemp(join(tmpdir(), 'slipway-traced-'));
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content);
  started = await platform.start('platform', {
    SLIPWAY_PUBLIC_URL: '',
    SLIPWAY_DRAIN_SECONDS: '1',
    SLIPWAY_TRACE_AGENTS: 'true',
  });
  const outcome = await deploy(
    new PlatformApi({ url: started.url, key: API_KEY }),
    {
      name: 'talker',
      source: 'internal_source',
      source_config: { install_command: LINK },
      source_revision_config: {},
      secrets: undefined,
      reason: 'test',
      is_preview: false,
      archive: await packProject(folder),
      job: undefined,
    },
    { waits: true, followsLogs: false, deadlineMs: 220_000, report: () => {} },
  );
  expect(outcome).toMatchObject({ outcome: 'deployed' });
  deploymentId = outcome.deployment_id;
});

test('an agent server alone opens feedback addresses where it logs its runs', async () => {
  const server = await startAgentServer({
    databaseUrl: platform.env['DATABASE_URL']!,
    config: join(project({ ...ESM, ...FILES }), 'graph.json'),
    env: { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: started.url, LANGSMITH_API_KEY: API_KEY },
  });
  const agent = new AgentClient({ apiUrl: server.url });
  const { thread_id } = await agent.threads.create();
  const input = { messages: [{ role: 'user', content: 'hi' }] };
  const body = { assistant_id: 'agent', input, feedback_keys: ['helpful', 'kind', 'helpful'] };
  const waited = await ask(server.url, 'POST', `/threads/${thread_id}/runs/wait`, body);
  const links = waited.json.__feedback__ as Record<string, string>;
  const run = waited.headers.get('content-location')!.split('/').at(-1)!;
  const joined = await ask(server.url, 'GET', `/threads/${thread_id}/runs/${run}/join`);
  expect(joined.json.__feedback__).toEqual(links);
  expect((await fetch(`${links['helpful']}?score=0.25`)).status).toBe(200);
  await until('the score is on the trace', async () => {
    const { json } = await ask(started.url, 'GET', `/runs/${run}`);
    return json.feedback_stats?.helpful?.avg === 0.25;
  });
  const streamed: { event: string; data: any }[] = [];
  for await (const part of agent.runs.stream(null, 'agent', { input, feedbackKeys: ['helpful'] }))
    streamed.push(part);
  expect((await fetch(`${streamed.at(-1)!.data.helpful}?score=1`)).status).toBe(200);
  await server.end();
});

test("traces a deployed agent's run with its thread in the deployment's project", async () => {
  const agent = new AgentClient({ apiUrl: `${started.url}/d/${deploymentId}`, apiKey: API_KEY });
  const { thread_id } = await agent.threads.create();
  const input = { messages: [{ role: 'user', content: 'hi' }] };
  const values = (await agent.runs.wait(thread_id, 'agent', { input })) as {
    messages: { content: string }[];
  };
  const key = values.messages.at(-1)!.content;

  interface Traced {
    id: string;
    run_type: string;
    status: string;
    thread_id: string | null;
    project: string;
    is_root: boolean;
    is_posted: boolean;
  }
  let runs: Traced[] = [];
  await until('the trace is complete', async () => {
    const { rows } = await platform.db.query<Traced>(
      `select r.id, r.run_type, r.status, r.thread_id, p.name as project, r.parent_run_id is null as is_root,
         r.is_posted
       from tracing.run r join tracing.project p on p.id = r.project_id where r.trace_id in
         (select trace_id from tracing.run where thread_id = $1)`,
      [thread_id],
    );
    runs = rows;
    return (
      // An update may arrive before its run.
      rows.some(({ run_type }) => run_type === 'llm') &&
      rows.every(({ status, is_posted }) => is_posted && status === 'success')
    );
  });
  expect(new Set(runs.map(({ project }) => project))).toEqual(new Set(['talker']));
  expect(runs.filter(({ is_root }) => is_root)).toMatchObject([{ thread_id, run_type: 'chain' }]);

  // The URL accepts feedback without a key.
  const body = { assistant_id: 'agent', input, feedback_keys: ['helpful', 'kind, or not'] };
  const waited = await ask(started.url, 'POST', `/d/${deploymentId}/threads/${thread_id}/runs/wait`, body);
  const links = waited.json.__feedback__ as Record<string, string>;
  expect(Object.keys(links)).toEqual(['helpful', 'kind, or not']);
  const run = waited.headers.get('content-location')!.split('/').at(-1)!;
  const joined = await ask(started.url, 'GET', `/d/${deploymentId}/threads/${thread_id}/runs/${run}/join`);
  expect(joined.json.__feedback__).toEqual(links);
  expect((await fetch(`${links['helpful']}?score=1`)).status).toBe(200);
  const request = { method: 'POST', body: JSON.stringify({ score: 0.5, comment: 'so so' }) };
  expect((await fetch(links['kind, or not']!, request)).status).toBe(200);
  await until('the scores are on the trace', async () => {
    const { json } = await ask(started.url, 'GET', `/runs/${run}`);
    return json.feedback_stats?.helpful?.avg === 1 && json.feedback_stats['kind, or not']?.avg === 0.5;
  });

  const streamed: { event: string; data: unknown }[] = [];
  for await (const part of agent.runs.stream(null, 'agent', { input, feedbackKeys: ['helpful'] }))
    streamed.push(part);
  expect(streamed.at(-1)).toMatchObject({ event: 'feedback', data: { helpful: expect.any(String) } });

  // The agent's key may only log runs.
  const own = { 'x-api-key': key };
  const asked = await Promise.all([
    ask(started.url, 'POST', '/runs', { id: randomUUID(), name: 'own', run_type: 'chain' }, own),
    ask(started.url, 'GET', `/runs/${runs[0]!.id}`, undefined, own),
    ask(started.url, 'POST', '/runs/query', {}, own),
    ask(started.url, 'GET', '/v2/deployments', undefined, own),
    ask(started.url, 'POST', '/v2/deployments', {}, own),
  ]);
  expect(asked.map(({ status }) => status)).toEqual([202, 403, 403, 403, 403]);
});
