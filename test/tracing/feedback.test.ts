import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { ownFeedbackStatsOf, projectFeedbackStatsOf } from '../../src/tracing/feedback/feedback-stats.ts';
import { collect } from '../support/collect.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
beforeAll(async () => {
  api = await platform.start('api');
  client = new Client({ apiUrl: `${api.url}/api/v1`, apiKey: API_KEY });
});

const logRun = async (id: string, project = 'said') => {
  const { status } = await ask(api.url, 'POST', '/runs', {
    id,
    name: 'answer',
    run_type: 'llm',
    session_name: project,
    start_time: Date.now(),
    inputs: { q: 1 },
  });
  expect(status).toBe(202);
  return (await ask(api.url, 'GET', `/runs/${id}`)).json;
};

test('the SDK lists, updates and deletes feedback, which is counted on its run', async () => {
  const runId = randomUUID();
  await logRun(runId);
  const first = await client.createFeedback(runId, 'correct, or not', {
    score: true,
    comment: 'well said',
    sourceInfo: { model: 'judge' },
    feedbackSourceType: 'model',
    feedbackConfig: { type: 'continuous', min: 0, max: 1 },
  });
  await client.createFeedback(runId, 'correct, or not', { score: 0.5, value: 'half' });
  await client.createFeedback(runId, 'tone', { value: { label: 'warm' }, correction: { label: 'cold' } });

  const listed = await collect(client.listFeedback({ runIds: [runId], feedbackKeys: ['correct, or not'] }));
  expect(listed).toHaveLength(2);
  expect(listed.find(({ id }) => id === first.id)).toMatchObject({
    run_id: runId,
    trace_id: runId,
    score: 1,
    value: null,
    comment: 'well said',
    feedback_source: { type: 'model', metadata: { model: 'judge' } },
    created_at: expect.any(String),
    modified_at: expect.any(String),
  });
  expect(
    await collect(client.listFeedback({ runIds: [runId], feedbackSourceTypes: ['model'] })),
  ).toHaveLength(1);

  const stats = (await ask(api.url, 'GET', `/runs/${runId}`)).json.feedback_stats;
  expect(stats['correct, or not']).toEqual({
    n: 2,
    avg: 0.75,
    stdev: 0.25,
    min: 0.5,
    max: 1,
    errors: 0,
    values: { half: 1 },
    comments: ['well said'],
    sources: ['api', 'model'],
    show_feedback_arrow: false,
  });
  expect(stats.tone).toMatchObject({ n: 1, avg: null, values: {} });

  await client.updateFeedback(first.id, { score: 0, comment: 'no' });
  expect(await client.readFeedback(first.id)).toMatchObject({
    score: 0,
    comment: 'no',
    key: 'correct, or not',
  });
  await client.deleteFeedback(first.id);
  await expect(client.readFeedback(first.id)).rejects.toThrow(/not found/);
});

test('accepts feedback before its run, twice, in a batch, and on a project', async () => {
  const runId = randomUUID();
  const id = randomUUID();
  const early = { id, run_id: runId, key: 'early', score: 1, start_time: Date.now() };
  for (let times = 0; times < 2; times++)
    expect((await ask(api.url, 'POST', '/feedback', early)).json).toMatchObject({ id, session_id: null });
  // Python sends NaN, which is not JSON.
  const text = `{"run_id": "${runId}", "key": "nan", "score": NaN, "comment": "a\\\\u0000b"}`;
  expect((await ask(api.url, 'POST', '/feedback', text)).json).toMatchObject({
    score: null,
    comment: 'a\\u0000b',
  });
  const run = await logRun(runId);
  expect(run.feedback_stats).toMatchObject({ early: { n: 1, avg: 1 }, nan: { n: 1, avg: null } });

  const form = new FormData();
  const other = randomUUID();
  const part = (name: string, value: unknown) =>
    form.append(name, new Blob([JSON.stringify(value)], { type: 'application/json' }));
  part(`feedback.${randomUUID()}`, { run_id: other, key: 'batched', score: 0.25 });
  part(`feedback.${randomUUID()}`, { run_id: other });
  part(`post.${other}`, { id: other, name: 'batched', session_name: 'said', start_time: Date.now() });
  const sent = await fetch(`${api.url}/runs/multipart`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY },
    body: form,
  });
  expect(await sent.json()).toMatchObject({
    errors: [{ detail: expect.stringContaining('key is required') }],
  });
  expect((await ask(api.url, 'GET', `/runs/${other}`)).json.feedback_stats.batched).toMatchObject({
    avg: 0.25,
  });
  const [batched] = await collect(client.listFeedback({ feedbackKeys: ['batched'] }));
  expect(batched).toMatchObject({ session_id: run.session_id, trace_id: other });

  await client.createFeedback(null, 'summary', { projectId: run.session_id, score: 0.9 });
  const [summary] = await collect(client.listFeedback({ feedbackKeys: ['summary'] }));
  expect(summary).toMatchObject({ run_id: null, trace_id: null, session_id: run.session_id });
  const { tenant_id } = (await platform.db.query('select tenant_id from tracing.feedback limit 1'))
    .rows[0] as {
    tenant_id: string;
  };
  const ofRuns = await projectFeedbackStatsOf(platform.db, tenant_id, [run.session_id]);
  expect(ofRuns.get(run.session_id)).toMatchObject({ early: { n: 1 }, batched: { n: 1 }, nan: { n: 1 } });
  expect(ofRuns.get(run.session_id)).not.toHaveProperty('summary');
  const ofItself = await ownFeedbackStatsOf(platform.db, tenant_id, [run.session_id]);
  expect(Object.keys(ofItself.get(run.session_id)!)).toEqual(['summary']);

  const missing = await ask(api.url, 'POST', '/feedback', { run_id: 'x', key: 'k' });
  expect(missing.status).toBe(422);
});

test('a feedback token accepts feedback without a key until it expires', async () => {
  const runId = randomUUID();
  await logRun(runId);
  const { url, id } = await client.createPresignedFeedbackToken(runId, 'thumbs', {
    expiration: { minutes: 5 },
  });
  expect((await fetch(`${url}?score=1&comment=thanks`)).status).toBe(200);
  const posted = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ score: false, value: 'bad' }),
  });
  expect(posted.status).toBe(200);
  expect((await collect(client.listPresignedFeedbackTokens(runId))).map((token) => token.id)).toEqual([id]);
  const given = await collect(client.listFeedback({ runIds: [runId] }));
  expect(given.map(({ score, value, comment }) => ({ score, value, comment }))).toEqual([
    { score: 0, value: 'bad', comment: null },
    { score: 1, value: null, comment: 'thanks' },
  ]);

  const several = await ask(api.url, 'POST', '/feedback/tokens', [
    { run_id: runId, feedback_key: 'a', expires_at: '2020-01-01T00:00:00Z' },
    { run_id: runId, feedback_key: 'b' },
  ]);
  expect(several.json).toHaveLength(2);
  expect((await fetch(several.json[0].url)).status).toBe(410);
  expect((await fetch(`${api.url}/feedback/tokens/${randomUUID()}`)).status).toBe(404);
});

test('configures a feedback key once and updates it explicitly', async () => {
  const feedbackConfig = { type: 'categorical' as const, categories: [{ value: 1, label: 'good' }] };
  const made = await client.createFeedbackConfig({ feedbackKey: 'grade', feedbackConfig });
  expect(made).toMatchObject({
    feedback_key: 'grade',
    is_lower_score_better: false,
    tenant_id: expect.any(String),
  });
  await client.createFeedbackConfig({ feedbackKey: 'grade', feedbackConfig });
  const other = { type: 'continuous' as const, min: 0, max: 1 };
  await expect(client.createFeedbackConfig({ feedbackKey: 'grade', feedbackConfig: other })).rejects.toThrow(
    /different configuration/,
  );
  await client.updateFeedbackConfig('grade', { isLowerScoreBetter: true });
  // Creating it again unchanged is allowed.
  await client.createFeedbackConfig({ feedbackKey: 'grade', feedbackConfig });
  const [listed] = await collect(client.listFeedbackConfigs({ feedbackKeys: ['grade'] }));
  expect(listed).toMatchObject({ feedback_config: feedbackConfig, is_lower_score_better: true });
  await client.deleteFeedbackConfig('grade');
  expect(await collect(client.listFeedbackConfigs({ feedbackKeys: ['grade'] }))).toEqual([]);
});

test('a queue holds each run once, in order of arrival', async () => {
  const queue = await client.createAnnotationQueue({
    name: 'to read',
    rubricInstructions: 'be kind',
    rubricItems: [{ feedback_key: 'tone' }],
  });
  expect(await client.readAnnotationQueue(queue.id)).toMatchObject({
    name: 'to read',
    rubric_instructions: 'be kind',
    rubric_items: [{ feedback_key: 'tone' }],
    tenant_id: expect.any(String),
  });
  const runs = [randomUUID(), randomUUID(), randomUUID()];
  await logRun(runs[0]!);
  await logRun(runs[1]!);
  const sessionId = randomUUID();
  const keyOf = (runId: string) => ({ runId, sessionId, startTime: new Date().toISOString() });
  await client.addRunsToAnnotationQueue(queue.id, [keyOf(runs[0]!)]);
  await client.addRunsToAnnotationQueue(queue.id, [keyOf(runs[0]!), keyOf(runs[1]!)]);
  await client.addRunsToAnnotationQueue(queue.id, [runs[2]!, runs[1]!]);
  expect(await client.getSizeFromAnnotationQueue(queue.id)).toEqual({ size: 3 });
  const listed = await collect(client.listRunsFromAnnotationQueue(queue.id));
  expect(listed.map(({ id }) => id)).toEqual(runs);
  expect(await client.getRunFromAnnotationQueue(queue.id, 0)).toMatchObject({
    id: runs[0],
    name: 'answer',
    queue_run_id: expect.any(String),
    added_at: expect.any(String),
    last_reviewed_time: null,
  });
  await expect(client.getRunFromAnnotationQueue(queue.id, 3)).rejects.toThrow(/Run not found/);

  const { queue_run_id } = listed[0] as unknown as { queue_run_id: string };
  await ask(api.url, 'POST', `/annotation-queues/status/${queue_run_id}`, { status: 'completed' });
  expect((await ask(api.url, 'GET', `/annotation-queues/${queue.id}/total_archived`)).json).toEqual({
    size: 1,
  });
  const mine = await collect(client.listRunsFromAnnotationQueue(queue.id, { status: 'needs_my_review' }));
  expect(mine.map(({ id }) => id)).toEqual([runs[1], runs[2]]);

  await client.deleteRunFromAnnotationQueue(queue.id, runs[1]!);
  await client.updateAnnotationQueue(queue.id, { name: 'read' });
  const found = await collect(client.listAnnotationQueues({ nameContains: 'READ' }));
  expect(found).toMatchObject([
    { id: queue.id, name: 'read', rubric_instructions: 'be kind', total_runs: 1 },
  ]);
  await client.deleteAnnotationQueue(queue.id);
  await expect(client.readAnnotationQueue(queue.id)).rejects.toThrow(/not found/);
});

test('names in a body never become SQL', async () => {
  const runId = randomUUID();
  await logRun(runId);
  const { id } = await client.createFeedback(runId, 'safe', { score: 1 });
  const { json: dataset } = await ask(api.url, 'POST', '/datasets', { name: 'safe' });
  const { json: queue } = await ask(api.url, 'POST', '/annotation-queues', { name: 'safe' });
  const foreign = { 'tenant_id = gen_random_uuid(), key': 1, "name = (select version()), ''": 'x', '': 0 };
  const paths = [`/feedback/${id}`, `/datasets/${dataset.id}`, `/annotation-queues/${queue.id}`];
  for (const path of paths) expect((await ask(api.url, 'PATCH', path, foreign)).status).toBe(200);
  expect((await ask(api.url, 'POST', '/annotation-queues', { name: 'second', ...foreign })).status).toBe(200);
  for (const path of paths) expect((await ask(api.url, 'GET', path)).status).toBe(200);
  expect((await ask(api.url, 'GET', `/datasets/${dataset.id}`)).json.name).toBe('safe');
});
