import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { canonical } from '../support/canonical-json.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { runLog } from './run-log.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api');
});

const { send, post } = runLog(() => api);

const NUMBERS =
  '{"id":1234567890123456789,"list":[-9007199254740993,1e400,1e-400,1.5,9007199254740991],"text":"9007199254740993"}';
const LOSSY = 'Integers must be between -(2^53 - 1) and 2^53 - 1, and other numbers a 64-bit float';
const readText = async (path: string): Promise<string> =>
  (await fetch(api.url + path, { headers: { 'x-api-key': API_KEY } })).text();
const read = async (path: string) => canonical(await readText(path)) as any;

async function makeDataset(more: object = {}): Promise<string> {
  return (await ask(api.url, 'POST', '/datasets', { name: randomUUID(), ...more })).json.id;
}

test('examples preserve integers beyond 2^53 and numbers beyond floats in every API', async () => {
  const dataset = await makeDataset({
    inputs_schema_definition: { type: 'object', properties: { id: { type: 'integer' } } },
  });
  const [byJson, byParts, bySource] = [randomUUID(), randomUUID(), randomUUID()];
  const metadata = '{"snowflake":1234567890123456789}';
  const body = `{"id":"${byJson}","dataset_id":"${dataset}","inputs":${NUMBERS},"outputs":${NUMBERS},"metadata":${metadata}}`;
  expect((await send('POST', '/examples', body)).status).toBe(200);
  const part = (name: string, json: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${json}\r\n`;
  const parts = [
    part(byParts, `{"metadata":${metadata}}`),
    part(`${byParts}.inputs`, NUMBERS),
    part(`${byParts}.outputs`, NUMBERS),
    '--b--\r\n',
  ];
  const { status } = await send(
    'POST',
    `/platform/datasets/${dataset}/examples`,
    parts.join(''),
    'multipart/form-data; boundary=b',
  );
  expect(status).toBe(201);
  const run = randomUUID();
  const [logged] = await post(
    [{ id: `"${run}"`, start_time: '1', end_time: '2', inputs: NUMBERS, outputs: NUMBERS }],
    'batch',
  );
  expect(logged).toMatchObject({ status: 202 });
  const source = { id: bySource, dataset_id: dataset, source_run_id: run, use_source_run_io: true };
  expect(await ask(api.url, 'POST', '/examples', source)).toMatchObject({
    status: 200,
    json: { id: bySource },
  });

  const sides = { inputs: canonical(NUMBERS), outputs: canonical(NUMBERS) };
  for (const id of [byJson, byParts, bySource]) expect(await read(`/examples/${id}`)).toMatchObject(sides);
  for (const id of [byJson, byParts])
    expect((await read(`/examples/${id}`)).metadata).toMatchObject({ snowflake: '#1234567890123456789' });
  for (const example of await read(`/examples?dataset=${dataset}`)) expect(example).toMatchObject(sides);
  const lines = (await readText(`/datasets/${dataset}/jsonl`)).trim().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(canonical(line)).toMatchObject(sides);
  expect(await readText(`/datasets/${dataset}/csv`)).toContain('1234567890123456789');

  // An unrelated update keeps them unchanged.
  await ask(api.url, 'PATCH', `/examples/${byJson}`, { split: 'test' });
  expect(await read(`/examples/${byJson}`)).toMatchObject(sides);
  await send('PATCH', `/examples/${byJson}`, '{"inputs":{"id":9007199254740993}}');
  expect((await read(`/examples/${byJson}`)).inputs).toEqual({ id: '#9007199254740993' });
});

test('masks replace texts of examples and keep numbers exact', async () => {
  const rules = [{ pattern: '\\d{16,}', replacement: '[card]' }];
  expect((await ask(api.url, 'PUT', '/platform/masks', { rules })).status).toBe(200);
  const dataset = await makeDataset();
  const body = `{"dataset_id":"${dataset}","inputs":{"number":12345678901234567890,"text":"12345678901234567890"}}`;
  const { json } = await send('POST', '/examples', body);
  expect((await read(`/examples/${json.id}`)).inputs).toEqual({
    number: '#12345678901234567890',
    text: '[card]',
  });
  await ask(api.url, 'PUT', '/platform/masks', { rules: [] });
});

test('other routes reject inexact numbers with 422 and accept exact ones', async () => {
  const dataset = await makeDataset();
  const named = (more: string) => `{"name":"${randomUUID()}",${more}}`;
  for (const number of ['9007199254740993', '-1e400', '1e-400'])
    for (const [method, path, body] of [
      ['POST', '/feedback', `{"key":"k","value":${number}}`],
      ['POST', '/datasets', named(`"extra":{"metadata":{"n":${number}}}`)],
      ['PATCH', `/datasets/${dataset}`, `{"metadata":{"n":${number}}}`],
      ['POST', '/sessions', named(`"extra":{"n":${number}}`)],
      ['POST', '/annotation-queues', named(`"rubric_items":[{"feedback_key":"k","n":${number}}]`)],
      ['POST', '/commits/-/some-prompt', `{"manifest":{"n":${number}}}`],
    ] as const)
      expect([path, await send(method, path, body)]).toEqual([
        path,
        { status: 422, json: { detail: LOSSY } },
      ]);
  for (const number of ['-0.0', '1e22', '9007199254740992', '1.7976931348623157e308', '5e-324'])
    expect((await send('POST', '/sessions', named(`"extra":{"n":${number}}`))).status).toBe(200);
  const huge = await send(
    'POST',
    '/examples',
    `{"dataset_id":"${dataset}","inputs":{"a":1e5000},"metadata":{"n":1e5000}}`,
  );
  expect([huge.status, huge.json.detail]).toEqual([
    422,
    expect.stringContaining('metadata has a number with an exponent beyond 999'),
  ]);
});
