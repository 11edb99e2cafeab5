import { brotliDecompressSync } from 'node:zlib';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api', { SLIPWAY_TRACE_MASKS: '[{"pattern":"marker-\\\\d+"}]' });
});

const run = <More extends { inputs: object }>(id: string, more: More) => ({
  id,
  trace_id: id,
  dotted_order: `20250101T000000000000Z${id}`,
  name: 'private',
  run_type: 'chain' as const,
  start_time: 1_735_689_600_000,
  ...more,
});

/** All tracing data in the database, with bodies decoded. */
async function everything(): Promise<string> {
  const { rows } = await platform.db.query<{ bytes: Buffer }>('select bytes from tracing.body_block');
  const { rows: others } = await platform.db.query<{ row: string }>(
    `select to_jsonb(r)::text as row from tracing.run r union all select to_jsonb(a)::text from tracing.attachment a`,
  );
  const { rows: blobs } = await platform.db.query<{ bytes: Buffer }>('select bytes from tracing.blob');
  return [
    ...rows.map(({ bytes }) => brotliDecompressSync(bytes).toString('latin1')),
    ...others.map(({ row }) => row),
    ...blobs.map(({ bytes }) => bytes.toString('latin1')),
  ].join('\n');
}

test('stores nothing that settings or tenant rules mask', async () => {
  const rules = [{ pattern: '[a-z]+@example\\.com', replacement: '<mail>' }];
  expect((await ask(api.url, 'PUT', '/v1/platform/masks', { rules })).status).toBe(200);
  expect((await ask(api.url, 'GET', '/api/v1/platform/masks')).json).toEqual({ rules });
  const id = randomUUID();
  const said = 'ada@example.com paid with marker-42';
  const post = run(id, {
    inputs: { said },
    error: said,
    tags: [said],
    extra: { metadata: { said } },
    end_time: 1_735_689_601_000,
    outputs: { messages: [{ role: 'assistant', content: [{ type: 'text', text: said }] }] },
  });
  expect((await ask(api.url, 'POST', '/runs', post)).status).toBe(202);
  const { json } = await ask(api.url, 'GET', `/runs/${id}`);
  const masked = '<mail> paid with [masked]';
  expect(json).toMatchObject({
    inputs: { said: masked },
    error: masked,
    tags: [masked],
    extra: { metadata: { said: masked } },
  });
  const stored = await everything();
  expect(stored).toContain(masked);
  expect(stored).not.toMatch(/ada@example|marker-\d/);
  expect((await ask(api.url, 'PUT', '/platform/masks', { rules: [{ pattern: '(' }] })).status).toBe(422);
});

test('masks feedback, examples and attachments', async () => {
  const said = 'bob@example.com and marker-77';
  const masked = '<mail> and [masked]';
  const client = new Client({ apiUrl: api.url, apiKey: API_KEY });
  const id = randomUUID();
  const files: Record<string, [string, Uint8Array]> = {
    note: ['text/plain', Buffer.from(said)],
    picture: ['image/png', Buffer.from('no text: marker-x')],
  };
  await client.createRun(run(id, { inputs: {}, attachments: files }));
  await client.awaitPendingTraceBatches();
  const { json } = await ask(api.url, 'GET', `/runs/${id}`);
  const note = await fetch(json.s3_urls['attachment.note'].presigned_url);
  expect(await note.text()).toBe(masked);
  const picture = await fetch(json.s3_urls['attachment.picture'].presigned_url);
  expect(await picture.text()).toBe('no text: marker-x');

  const given = await client.createFeedback(id, 'note', { comment: said, correction: { said }, value: said });
  await client.updateFeedback(given.id, { comment: `again ${said}` });
  expect(await client.readFeedback(given.id)).toMatchObject({
    comment: `again ${masked}`,
    correction: { said: masked },
    value: masked,
  });
  const { id: datasetId } = await client.createDataset('masked');
  const example = await client.createExample({ said }, { said }, { datasetId, metadata: { said } });
  const stored = { inputs: { said: masked }, outputs: { said: masked }, metadata: { said: masked } };
  expect(await client.readExample(example.id)).toMatchObject(stored);
  await client.updateExample({ id: example.id, inputs: { said: [said] }, dataset_id: datasetId });
  expect((await client.readExample(example.id)).inputs).toEqual({ said: [masked] });
});

test('stores nothing for inputs and outputs that clients hide', async () => {
  const client = new Client({ apiUrl: api.url, apiKey: API_KEY, hideInputs: true, hideOutputs: true });
  const id = randomUUID();
  await client.createRun(run(id, { inputs: { hush: 'hidden words' }, outputs: { hush: 'hidden words' } }));
  await client.awaitPendingTraceBatches();
  const { json } = await ask(api.url, 'GET', `/runs/${id}`);
  expect(json.inputs).toEqual({});
  expect(json.outputs ?? {}).toEqual({});
  expect(await everything()).not.toContain('hidden words');
});

test('a database dump contains no plain text of attachments', async () => {
  const client = new Client({ apiUrl: api.url, apiKey: API_KEY });
  const id = randomUUID();
  const bytes = Buffer.from('an attached secret, in the clear');
  await client.createRun(run(id, { inputs: {}, attachments: { note: ['text/plain', bytes] } }));
  await client.awaitPendingTraceBatches();
  const { rows } = await platform.db.query('select size from tracing.blob where size = $1', [bytes.length]);
  expect(rows).toEqual([{ size: bytes.length }]);
  const { stdout } = await promisify(execFile)(
    'pg_dump',
    ['--data-only', '--schema=tracing', platform.env['DATABASE_URL']!],
    { maxBuffer: 100_000_000 },
  ).catch(async () => ({ stdout: await everything() }));
  expect(stdout).toContain(id);
  expect(stdout).not.toContain('attached secret');
  expect(stdout).not.toContain(bytes.toString('hex'));
});
