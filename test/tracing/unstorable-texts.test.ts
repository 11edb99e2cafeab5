import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { runLog } from './run-log.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api');
});

const { send, sendParts, post } = runLog(() => api);

const DETAIL = 'Text may not contain U+0000 or unpaired surrogates';
const TEXTS = ['"a\\u0000"', '"\\uD800"', '{"\\udc00":1}'];
const refused = { status: 422, json: { detail: DETAIL } };

const makeDataset = async (): Promise<string> =>
  (await ask(api.url, 'POST', '/datasets', { name: randomUUID() })).json.id;
const countOf = async (dataset: string): Promise<number> =>
  (await ask(api.url, 'GET', `/examples/count?dataset=${dataset}`)).json;

test.each(TEXTS)('what Postgres does not hold is refused, not changed: %s', async (text) => {
  const dataset = await makeDataset();
  const run_id = randomUUID();
  const bodies: [method: string, path: string, body: string][] = [
    ['POST', '/sessions', `{"name":"${run_id}","extra":{"note":${text}}}`],
    ['POST', '/datasets', `{"name":"${run_id}","metadata":{"note":${text}}}`],
    ['POST', '/examples', `{"dataset_id":"${dataset}","inputs":{"a":${text}}}`],
    ['POST', '/examples', `{"dataset_id":"${dataset}","inputs":{},"metadata":{"a":${text}}}`],
    ['POST', '/feedback', `{"run_id":"${run_id}","key":"a","value":${text}}`],
    ['POST', '/feedback', `{"run_id":"${run_id}","key":"a","correction":[${text}]}`],
  ];
  for (const [method, path, body] of bodies)
    expect([path, await send(method, path, body)]).toEqual([path, refused]);
  expect(await countOf(dataset)).toBe(0);
  expect((await ask(api.url, 'GET', `/sessions?name=${run_id}`)).json).toEqual([]);
  expect((await ask(api.url, 'GET', `/feedback?run=${run_id}`)).json).toEqual([]);
  const lookalike = text.replace('\\u', '\\\\u').replace('\\U', '\\\\U');
  const kept = await send('POST', '/feedback', `{"run_id":"${run_id}","key":"a","value":${lookalike}}`);
  expect([kept.status, kept.json.value]).toEqual([200, JSON.parse(lookalike)]);
});

test('parts of a batch that Postgres does not hold are refused, and its run is stored', async () => {
  const id = randomUUID();
  const answer = await sendParts([
    [`post.${id}`, `{"id":"${id}","name":"said","start_time":1}`],
    [`feedback.${id}`, `{"run_id":"${id}","key":"a","comment":"\\u0000"}`],
    [`attachment.${id}.a\0b`, 'bytes'],
  ]);
  expect(answer.status).toBe(422);
  expect(answer.json.errors).toEqual([
    { run_id: null, detail: `feedback.${id}: ${DETAIL}` },
    { run_id: id, detail: `attachment: ${DETAIL}` },
  ]);
  expect((await ask(api.url, 'GET', `/runs/${id}`)).json).toMatchObject({ name: 'said', feedback_stats: {} });
});

test('a feedback link refuses what Postgres does not hold', async () => {
  const run_id = randomUUID();
  const token = await ask(api.url, 'POST', '/feedback/tokens', { run_id, feedback_key: 'a' });
  const link = `${api.url}/feedback/tokens/${token.json.id}`;
  for (const query of ['comment=%00', 'value=a%ED%A0%80', 'correction=%FF'])
    expect([query, (await fetch(`${link}?${query}`)).status]).toEqual([query, 422]);
  expect((await ask(api.url, 'GET', `/feedback?run=${run_id}`)).json).toEqual([]);
  expect((await fetch(`${link}?comment=100%&value=%EF%BF%BD+%C3%BC`)).status).toBe(200);
  const [kept] = (await ask(api.url, 'GET', `/feedback?run=${run_id}`)).json;
  expect(kept).toMatchObject({ comment: '100%', value: '\uFFFD ü' });
});

test('bytes that are not UTF-8 are refused in bodies, uploads and names of attachments', async () => {
  const name = randomUUID();
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const sent = (path: string, body: Buffer, type = 'application/json') =>
    fetch(api.url + path, { method: 'POST', body, headers: { 'x-api-key': API_KEY, 'content-type': type } });
  const answers = [await sent('/datasets', bytes(`{"name":"${name}","description":"\xfc"}`))];
  const form = (parts: string[]) => bytes(parts.map((part) => `--b\r\n${part}\r\n`).join('') + '--b--\r\n');
  const field = (title: string, body: string) =>
    `Content-Disposition: form-data; name="${title}"\r\n\r\n${body}`;
  const FORM = 'multipart/form-data; boundary=b';
  for (const file of ['q\r\n\xfc', 'q\r\n\0'])
    answers.push(
      await sent(
        '/datasets/upload',
        form([field('file', file), field('input_keys', 'q'), field('name', name)]),
        FORM,
      ),
    );
  answers.push(
    await sent('/datasets/upload', form([field('file', 'q\r\n1'), field('name', `${name}\0`)]), FORM),
  );
  const id = randomUUID();
  const run = field(`post.${id}`, `{"id":"${id}","name":"x","run_type":"chain"}`);
  answers.push(await sent('/runs/multipart', form([run, field(`attachment.${id}.\xfc`, 'x')]), FORM));
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  expect((await ask(api.url, 'GET', `/datasets?name_contains=${name}`)).json).toEqual([]);
});

test('a run with such texts is stored, but makes no example', async () => {
  const dataset = await makeDataset();
  const id = randomUUID();
  const run = {
    id: `"${id}"`,
    start_time: '1',
    end_time: '2',
    inputs: '{"a":"\\u0000"}',
    outputs: '{"b":1}',
  };
  expect((await post([run], 'batch'))[0]).toMatchObject({ status: 202 });
  expect((await ask(api.url, 'GET', `/runs/${id}`)).json.inputs).toEqual({ a: '\0' });
  const example = { dataset_id: dataset, source_run_id: id, use_source_run_io: true };
  expect(await ask(api.url, 'POST', '/examples', example)).toMatchObject(refused);
  expect(await countOf(dataset)).toBe(0);
});

test('a query may hold them: they match what stands for them in the columns that filters search', async () => {
  const id = randomUUID();
  await post([{ id: `"${id}"`, start_time: '1', name: '"a\\u0000"' }], 'batch');
  const query = { id: [id], filter: 'eq(name, "a\0")', select: ['name'] };
  const { status, json } = await ask(api.url, 'POST', '/runs/query', query);
  expect([status, json.runs]).toEqual([200, [expect.objectContaining({ name: 'a\0' })]]);
});
