import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { collect } from '../support/collect.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { logAnswer } from './log-answer.ts';

const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
beforeAll(async () => {
  api = await platform.start('api');
  client = new Client({ apiUrl: `${api.url}/api/v1`, apiKey: API_KEY });
});

const questions = (examples: { inputs: Record<string, unknown> }[]) =>
  examples.map(({ inputs }) => String(inputs['q'])).sort();

const logRun = (run: object): Promise<string> => logAnswer(api.url, run);

test('creates a dataset once per name, finds, updates and deletes it', async () => {
  const made = await client.createDataset('capitals', {
    description: 'of countries',
    dataType: 'kv',
    inputsSchema: { type: 'object' },
    metadata: { team: 'geo' },
  });
  expect(made).toMatchObject({
    name: 'capitals',
    data_type: 'kv',
    example_count: 0,
    session_count: 0,
    last_session_start_time: null,
    metadata: { team: 'geo' },
    tenant_id: expect.any(String),
    outputs_schema_definition: null,
  });
  await expect(client.createDataset('capitals')).rejects.toThrow(/already exists/);
  expect(await client.readDataset({ datasetName: 'capitals' })).toEqual(made);
  expect(await client.hasDataset({ datasetName: 'rivers' })).toBe(false);
  const named = async (search: object) =>
    (await collect(client.listDatasets(search))).map(({ name }) => name);
  expect(await named({ datasetNameContains: 'APITAL' })).toEqual(['capitals']);
  expect(await named({ metadata: { team: 'geo' } })).toEqual(['capitals']);
  expect(await named({ metadata: { team: 'x' } })).toEqual([]);
  await client.createDataset('towns');
  await expect(client.updateDataset({ datasetId: made.id, name: 'towns' })).rejects.toThrow(/already exists/);
  expect(await client.updateDataset({ datasetId: made.id, name: 'cities', description: 'x' })).toMatchObject({
    id: made.id,
    name: 'cities',
    metadata: { team: 'geo' },
  });
  await client.deleteDataset({ datasetId: made.id });
  await expect(client.readDataset({ datasetId: made.id })).rejects.toThrow(/not found/);
});

test('examples have versions, splits, tags and attachments', async () => {
  const { id: datasetId } = await client.createDataset('sums');
  const bytes = new TextEncoder().encode('<b>2</b>');
  const made = await client.createExamples([
    {
      dataset_id: datasetId,
      inputs: { q: '1+1' },
      outputs: { a: 2 },
      metadata: { hard: false },
      split: 'train',
      attachments: {
        page: { mimeType: 'text/html', data: bytes },
        pic: { mimeType: 'image/png', data: bytes },
      },
    },
    { dataset_id: datasetId, inputs: { q: '2+2' }, split: ['train', 'test'] },
    { dataset_id: datasetId, inputs: { q: '3+3' } },
  ]);
  const [one, two, three] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
  expect(one).toMatchObject({
    inputs: { q: '1+1' },
    outputs: { a: 2 },
    metadata: { hard: false, dataset_split: ['train'] },
    dataset_id: datasetId,
    source_run_id: null,
  });
  expect(three.metadata).toEqual({ dataset_split: ['base'] });
  expect(await client.listDatasetSplits({ datasetId })).toEqual(['base', 'test', 'train']);
  expect(questions(await collect(client.listExamples({ datasetId, splits: ['test', 'base'] })))).toEqual([
    '2+2',
    '3+3',
  ]);
  expect(questions(await collect(client.listExamples({ datasetId, metadata: { hard: false } })))).toEqual([
    '1+1',
  ]);
  const filtered = async (filter: string) =>
    questions(await collect(client.listExamples({ datasetId, filter })));
  expect(await filtered(`has(metadata, '{"hard": false}')`)).toEqual(['1+1']);
  expect(await filtered(`has("metadata", '{"hard": false}')`)).toEqual(['1+1']);
  expect(await filtered(`and(not(exists(metadata, "hard")), neq(id, "${two.id}"))`)).toEqual(['3+3']);
  expect(await filtered(`or(search(outputs, "2"), in(id, ["${two.id}"]))`)).toEqual(['1+1', '2+2']);
  await expect(filtered('eq(metadata')).rejects.toThrow(/Invalid filter/);
  await expect(filtered('gt(created_at, "soon")')).rejects.toThrow(/invalid value/);
  expect(questions(await collect(client.listExamples({ datasetId, limit: 1, offset: 2 })))).toHaveLength(1);

  // Links work without a key, and content cannot execute as a page.
  const [seen] = await collect(
    client.listExamples({ datasetId, exampleIds: [one.id], includeAttachments: true }),
  );
  expect(Object.keys(seen!.attachments!)).toEqual(['page', 'pic']);
  const page = await fetch(seen!.attachments!['page']!.presigned_url);
  expect(await page.text()).toBe('<b>2</b>');
  expect(page.headers.get('content-type')).toBe('application/octet-stream');
  expect(page.headers.get('content-security-policy')).toContain('sandbox');
  const picture = await fetch(seen!.attachments!['pic']!.presigned_url);
  expect(picture.headers.get('content-type')).toBe('image/png');
  const spoiled = seen!.attachments!['pic']!.presigned_url.slice(0, -4);
  expect((await fetch(`${spoiled}AAAA`)).status).toBe(404);

  const first = await client.readDatasetVersion({ datasetId, tag: 'latest' });
  await client.updateDatasetTag({ datasetId, asOf: first.as_of, tag: 'release' });
  await client.updateExamples([
    {
      id: one.id,
      dataset_id: datasetId,
      outputs: { a: 'two' },
      attachments_operations: { rename: { pic: 'image' }, retain: [] },
    },
  ]);
  expect(await client.readExample(one.id)).toMatchObject({
    inputs: { q: '1+1' },
    outputs: { a: 'two' },
    metadata: { hard: false, dataset_split: ['train'] },
    attachments: { image: { mime_type: 'image/png' } },
  });
  const update = (change: object) =>
    client.updateExamples([{ id: one.id, dataset_id: datasetId, ...change }]);
  const attachments = { pic: { mimeType: 'image/png', data: Buffer.from('new') } };
  await update({ attachments });
  expect(Object.keys((await client.readExample(one.id)).attachments!)).toEqual(['pic']);
  await update({ attachments: { other: attachments.pic }, attachments_operations: { retain: ['pic'] } });
  expect(Object.keys((await client.readExample(one.id)).attachments!).toSorted()).toEqual(['other', 'pic']);
  await expect(
    update({ attachments_operations: { rename: { other: 'pic' }, retain: ['pic'] } }),
  ).rejects.toThrow(/two attachments named pic/);
  await expect(update({ attachments, attachments_operations: { rename: { other: 'pic' } } })).rejects.toThrow(
    /two attachments named pic/,
  );
  await client.deleteExample(two.id);
  const four = await client.createExample({ q: '4+4' }, { a: 8 }, { datasetId });
  const second = await client.readDatasetVersion({ datasetId, tag: 'latest' });
  expect(
    await client.diffDatasetVersions({ datasetId, fromVersion: 'release', toVersion: second.as_of }),
  ).toEqual({
    examples_modified: [one.id],
    examples_added: [four.id],
    examples_removed: [two.id],
  });
  // JavaScript dates have only milliseconds, but still identify the version.
  const old = await collect(client.listExamples({ datasetId, asOf: new Date(first.as_of) }));
  expect(questions(old)).toEqual(['1+1', '2+2', '3+3']);
  expect(old.find(({ id }) => id === one.id)!.outputs).toEqual({ a: 2 });
  expect(questions(await collect(client.listExamples({ datasetId, asOf: 'release' })))).toEqual([
    '1+1',
    '2+2',
    '3+3',
  ]);
  expect(questions(await collect(client.listExamples({ datasetId })))).toEqual(['1+1', '3+3', '4+4']);
  await expect(collect(client.listExamples({ datasetId, asOf: 'no such tag' }))).rejects.toThrow(/not found/);
  const { json: versions } = await ask(api.url, 'GET', `/datasets/${datasetId}/versions`);
  expect(versions.map((version: { tags: string[] }) => version.tags)).toEqual([
    ['latest'],
    [],
    [],
    [],
    [],
    ['release'],
  ]);

  await client.updateDatasetSplits({ datasetId, splitName: 'gold', exampleIds: [one.id, three.id] });
  await client.updateDatasetSplits({ datasetId, splitName: 'base', exampleIds: [three.id], remove: true });
  expect((await client.readExample(three.id)).metadata).toEqual({ dataset_split: ['gold'] });
  expect(await client.listDatasetSplits({ datasetId, asOf: 'release' })).toEqual(['base', 'test', 'train']);

  await client.deleteExamples([four.id]);
  await client.deleteExamples([one.id, three.id], { hardDelete: true });
  expect(questions(await collect(client.listExamples({ datasetId, asOf: 'release' })))).toEqual(['2+2']);
  await expect(client.readExample(randomUUID())).rejects.toThrow(/not found/);
});

test('finds similar examples by shared words in the indexed version', async () => {
  const { id: datasetId } = await client.createDataset('alike');
  const asked = [
    'What is the capital of France?',
    'What is the river that runs through Paris?',
    'Which river is the longest of Africa?',
    'Name a mountain',
  ];
  await client.createExamples(
    asked.map((q) => ({ inputs: { q }, outputs: { a: q.length }, dataset_id: datasetId })),
  );
  const { as_of } = await client.readDatasetVersion({ datasetId, tag: 'latest' });
  await client.updateDatasetTag({ datasetId, asOf: as_of, tag: 'first' });
  await client.createExample({ q: 'What river is it, Thames or Seine?' }, {}, { datasetId });
  const path = `/datasets/${datasetId}`;
  const like = async (q: string, more = {}) =>
    (await ask(api.url, 'POST', `${path}/search`, { inputs: { q }, limit: 2, ...more })).json.examples;
  const found = await like('Tell me: which river flows in Africa?');
  expect(found.map(({ inputs }: { inputs: { q: string } }) => inputs.q)[0]).toBe(asked[2]);
  // The fields clients need; they add the dataset themselves.
  expect(Object.keys(found[0])).toEqual(['id', 'inputs', 'outputs', 'metadata']);
  expect(await like('Thames')).toHaveLength(1);
  expect((await ask(api.url, 'POST', `${path}/index`, { tag: 'first' })).json).toMatchObject({
    tag: 'first',
  });
  expect(await like('Thames')).toEqual([]);
  expect(await like('mountain', { filter: `eq(id, "${found[0].id}")` })).toEqual([]);
  expect((await ask(api.url, 'POST', `${path}/index`, { tag: 'no such' })).status).toBe(404);
  expect((await ask(api.url, 'DELETE', `${path}/index`)).json).toMatchObject({ tag: 'latest' });
  expect((await ask(api.url, 'GET', `${path}/index`)).json).toMatchObject({ tag: 'latest' });
  expect((await ask(api.url, 'POST', `/datasets/${randomUUID()}/search`, { inputs: {} })).status).toBe(404);
});

test('creates an example from inputs, outputs and attachments of a run', async () => {
  const { id: datasetId } = await client.createDataset('from runs');
  const runId = randomUUID();
  const form = new FormData();
  const json = (value: unknown) => new Blob([JSON.stringify(value)], { type: 'application/json' });
  const main = { id: runId, name: 'see', run_type: 'llm', start_time: Date.now(), session_name: 'answers' };
  form.append(`post.${runId}`, json(main));
  form.append(`post.${runId}.inputs`, json({ q: 'what' }));
  form.append(`post.${runId}.outputs`, json({ a: 'a cat' }));
  form.append(`attachment.${runId}.photo`, new Blob(['meow'], { type: 'image/jpeg' }));
  const headers = { 'x-api-key': API_KEY };
  const sent = await fetch(`${api.url}/runs/multipart`, { method: 'POST', headers, body: form });
  expect(sent.status).toBe(202);
  const { s3_urls } = (await ask(api.url, 'GET', `/runs/${runId}`)).json;
  expect(s3_urls['attachment.photo']).toMatchObject({ mime_type: 'image/jpeg' });
  expect(await (await fetch(s3_urls['attachment.photo'].presigned_url)).text()).toBe('meow');

  const asked = await ask(api.url, 'POST', '/runs/query', { id: [runId], select: ['s3_urls'] });
  expect(Object.keys(asked.json.runs[0].s3_urls)).toEqual(['attachment.photo']);

  const [example] = await client.createExamples([
    {
      dataset_id: datasetId,
      source_run_id: runId,
      use_source_run_io: true,
      use_source_run_attachments: ['photo'],
      inputs: undefined as never,
    },
  ]);
  expect(example).toMatchObject({ inputs: { q: 'what' }, outputs: { a: 'a cat' }, source_run_id: runId });
  expect(await (await fetch(example!.attachments!['photo']!.presigned_url)).text()).toBe('meow');
});

test('creates and deletes examples as JSON; rejects invalid requests as a whole', async () => {
  const { id: dataset_id } = await client.createDataset('json');
  const made = await ask(api.url, 'POST', '/examples/bulk', [
    { dataset_id, inputs: { q: 'a' }, outputs: { a: 1 } },
    { dataset_id, inputs: { q: 'b' } },
  ]);
  expect(made.json.map(({ inputs }: { inputs: { q: string } }) => inputs.q).sort()).toEqual(['a', 'b']);
  const { id } = made.json.find(({ inputs }: { inputs: { q: string } }) => inputs.q === 'a');
  const patched = await ask(api.url, 'PATCH', `/examples/${id}`, { outputs: { a: 2 }, split: 'dev' });
  expect(patched.json).toMatchObject({
    inputs: { q: 'a' },
    outputs: { a: 2 },
    metadata: { dataset_split: ['dev'] },
  });
  expect(
    (await ask(api.url, 'GET', `/examples?dataset=${dataset_id}&full_text_contains=2`)).json,
  ).toHaveLength(1);
  const shuffled = `/examples?dataset=${dataset_id}&order=random&random_seed=7`;
  expect((await ask(api.url, 'GET', shuffled)).json).toEqual((await ask(api.url, 'GET', shuffled)).json);
  expect((await ask(api.url, 'GET', `/examples/count?dataset=${dataset_id}`)).json).toBe(2);
  const bad = await ask(api.url, 'POST', '/examples/bulk', [
    { dataset_id, inputs: { q: 'c' } },
    { dataset_id, outputs: { a: 1 } },
  ]);
  expect(bad).toMatchObject({ status: 422, json: { detail: expect.stringContaining('has no inputs') } });
  expect((await ask(api.url, 'GET', `/examples/count?dataset=${dataset_id}`)).json).toBe(2);
  expect((await ask(api.url, 'POST', '/examples', { dataset_id: randomUUID(), inputs: {} })).status).toBe(
    404,
  );
  const elsewhere = await client.createDataset('elsewhere');
  const taken = await ask(api.url, 'POST', '/examples', { dataset_id: elsewhere.id, id, inputs: {} });
  expect(taken.status).toBe(409);
  expect((await ask(api.url, 'GET', '/examples')).status).toBe(422);
});

test('copies, shares and exports datasets; escapes formulas for spreadsheets', async () => {
  const uploaded = await client.uploadCsv({
    csvFile: new Blob(['question,answer\n"=cmd()|x",42\n"a, b","line\nbreak"\n']),
    fileName: 'sheet.csv',
    inputKeys: ['question'],
    outputKeys: ['answer'],
    name: 'sheet',
    dataType: 'kv',
  });
  expect(uploaded).toMatchObject({ name: 'sheet', example_count: 2 });
  const csv = await (
    await fetch(`${api.url}/datasets/${uploaded.id}/csv`, { headers: { 'x-api-key': API_KEY } })
  ).text();
  expect(csv).toContain(`'=cmd()|x`);
  expect(csv).toContain('"line\nbreak"');
  expect(csv.split('\n')[0]).toBe('id,inputs.question,outputs.answer,metadata');
  const lines = await client.readDatasetOpenaiFinetuning({ datasetId: uploaded.id });
  expect(lines).toContainEqual({
    messages: [
      { role: 'user', content: '=cmd()|x' },
      { role: 'assistant', content: '42' },
    ],
  });
  const unnamed = new FormData();
  unnamed.append('file', new Blob(['a\n1']));
  unnamed.append('input_keys', 'b');
  const headers = { 'x-api-key': API_KEY };
  const refused = await fetch(`${api.url}/datasets/upload`, { method: 'POST', headers, body: unnamed });
  expect(refused.status).toBe(422);
  const named = new FormData();
  named.append('file', new Blob(['a\n1']), 'numbers.csv');
  named.append('input_keys', 'a');
  const made = await fetch(`${api.url}/datasets/upload`, { method: 'POST', headers, body: named });
  expect(await made.json()).toMatchObject({ name: 'numbers.csv', example_count: 1 });

  const target = await client.createDataset('copy');
  const { json: copied } = await ask(api.url, 'POST', '/datasets/clone', {
    source_dataset_id: uploaded.id,
    target_dataset_id: target.id,
  });
  expect(copied).toHaveLength(2);

  const { share_token } = await client.shareDataset(uploaded.id);
  expect(await client.readDatasetSharedSchema(uploaded.id)).toMatchObject({ share_token });
  const anonymous = await ask(api.url, 'GET', `/api/v1/public/${share_token}/datasets`, undefined, {});
  expect(anonymous.json).toMatchObject({ name: 'sheet' });
  expect(await client.listSharedExamples(share_token)).toHaveLength(2);
  await client.clonePublicDataset(share_token, { datasetName: 'public copy' });
  expect((await client.readDataset({ datasetName: 'public copy' })).example_count).toBe(2);
  await client.unshareDataset(uploaded.id);
  expect((await ask(api.url, 'GET', `/public/${share_token}/datasets`, undefined, {})).status).toBe(404);
});

test('a dataset with a schema transforms examples and rejects invalid ones', async () => {
  const { id: datasetId } = await client.createDataset('checked', {
    inputsSchema: { type: 'object', required: ['q'], properties: { q: { type: 'string' }, tools: {} } },
    outputsSchema: { type: 'object', properties: { messages: { items: { required: ['role'] } } } },
  });
  const path = `/datasets/${datasetId}`;
  const transformations = [
    { path: ['inputs', 'tools'], transformation_type: 'extract_tools_from_run' },
    { path: ['inputs'], transformation_type: 'remove_extra_fields' },
    { path: ['outputs', 'messages'], transformation_type: 'convert_to_openai_message' },
  ];
  expect((await ask(api.url, 'PATCH', path, { transformations })).json).toMatchObject({ transformations });
  const source = await logRun({
    inputs: { q: 'why', more: 1 },
    outputs: { messages: [{ type: 'ai', content: 'because' }] },
    extra: { invocation_params: { tools: [{ name: 'look', input_schema: {} }] } },
  });
  const create = (body: object) => ask(api.url, 'POST', '/examples', { dataset_id: datasetId, ...body });
  const { json: made } = await create({ source_run_id: source, use_source_run_io: true });
  expect(made).toMatchObject({
    inputs: { q: 'why', tools: [{ type: 'function', function: { name: 'look' } }] },
    outputs: { messages: [{ role: 'assistant', content: 'because' }] },
  });
  expect(made.inputs).not.toHaveProperty('more');
  expect(await create({ inputs: { q: 1 } })).toMatchObject({
    status: 422,
    json: { detail: expect.stringContaining('.q') },
  });
  expect((await ask(api.url, 'PATCH', `/examples/${made.id}`, { inputs: {} })).status).toBe(422);
  expect((await client.readExample(made.id)).inputs).toMatchObject({ q: 'why' });
  for (const wrong of [
    { inputs_schema_definition: { type: 'colour' } },
    { transformations: [{ path: ['inputs'], transformation_type: 'shout' }] },
  ])
    expect((await ask(api.url, 'PATCH', path, wrong)).status).toBe(422);
});
