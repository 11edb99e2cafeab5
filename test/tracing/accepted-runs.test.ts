import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { API_KEY, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { canonical } from '../support/canonical-json.ts';
import { jsonText, runText } from '../support/run-arbitrary.ts';
import { type Members, objectText, runLog } from './run-log.ts';

const BATCHES = Number(process.env['SLIPWAY_TEST_BATCHES'] ?? 200);
const MOST_IN_FLIGHT = 50;
const UNSTORABLE = 'Text may not contain U+0000 or unpaired surrogates';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api');
});

const { send, sendParts, post, read, readMany } = runLog(() => api);

test(`every run of an accepted batch reads back as sent (${BATCHES} batches)`, async () => {
  const ways = fc.constantFrom('batch' as const, 'multipart' as const, 'single' as const);
  const batch = fc.tuple(fc.array(runText, { minLength: 1, maxLength: 5 }), ways);
  const inFlight = Math.min(BATCHES, MOST_IN_FLIGHT);
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: inFlight, maxLength: inFlight }), async (batches) => {
      const sent = batches.map(([said, way]) => ({
        runs: said.map((run): Members => ({ ...run, id: JSON.stringify(randomUUID()) })),
        way,
      }));
      const answers = (await Promise.all(sent.map(({ runs, way }) => post(runs, way)))).flat();
      expect(answers.map(({ status, json }) => [status, json.detail])).toEqual(
        answers.map(() => [202, undefined]),
      );
      const runs = sent.flatMap((one) => one.runs);
      const ids = runs.map(({ id }) => JSON.parse(id!) as string);
      const stored = await readMany(ids);
      for (const [index, run] of runs.entries()) expectKept(run, stored.get(ids[index]!));
      expectKept(runs[0]!, await read(ids[0]!));
    }),
    { numRuns: Math.ceil(BATCHES / inFlight), endOnFailure: true },
  );
}, 3_600_000);

function expectKept(run: Members, stored: Record<string, any> | undefined): void {
  const sent = canonical(objectText(run)) as Record<string, any>;
  const kept = Object.fromEntries(Object.keys(sent).map((key) => [key, stored?.[key]]));
  if ('extra' in sent) {
    sent['extra'] = { metadata: {}, ...sent['extra'] };
    kept['extra'] = { metadata: {}, ...kept['extra'] };
  }
  expect(kept).toEqual(sent);
}

test('stores many small values completely by every endpoint and completes the run', async () => {
  const numbers = JSON.stringify(Array.from({ length: 60_000 }, (_, index) => index % 10));
  const sent = JSON.stringify(canonical(numbers));
  const run = () => ({
    id: JSON.stringify(randomUUID()),
    name: '"wide"',
    run_type: '"tool"',
    start_time: '"2026-01-01T00:00:00.000001Z"',
    end_time: '"2026-01-01T00:00:01Z"',
    inputs: `{"numbers":${numbers}}`,
    outputs: `{"numbers":${numbers},"last":"kept"}`,
    extra: `{"metadata":{"numbers":${numbers}},"other":${numbers}}`,
  });
  for (const way of ['batch', 'multipart', 'single'] as const) {
    const runs = [run(), run(), run()];
    expect((await post(runs, way)).map(({ status }) => status)).toEqual(
      way === 'single' ? [202, 202, 202] : [202],
    );
    for (const { id } of runs) {
      const { status, inputs, outputs, extra } = await read(JSON.parse(id) as string);
      expect([status, outputs.last]).toEqual(['success', 'kept']);
      for (const list of [inputs.numbers, outputs.numbers, extra.metadata.numbers, extra.other])
        expect(JSON.stringify(list) === sent).toBe(true);
    }
  }
});

test('rejects a run nested too deeply with 422 and stores the rest of the batch', async () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const run = (inputs: string): Members => ({
    id: JSON.stringify(randomUUID()),
    name: '"deep"',
    start_time: '1',
    inputs: `{"nested":${inputs}}`,
  });
  for (const way of ['batch', 'multipart'] as const) {
    // The run, its field and the object in it count as levels too.
    const [kept, deep, deepest, other] = [run(nested(197)), run(nested(250)), run(nested(100_000)), run('1')];
    const [answer] = await post([kept, deep, deepest, other], way);
    const refused = [deep, deepest].map(({ id }) => JSON.parse(id!) as string);
    expect(answer).toEqual({
      status: 422,
      json: {
        detail: expect.stringMatching(/nested deeper than 200 levels.*The rest of the batch was stored/),
        errors: refused.map((run_id) => ({
          run_id,
          detail: 'A run may not be nested deeper than 200 levels',
        })),
      },
    });
    for (const { id, inputs } of [kept, other])
      expect((await read(JSON.parse(id!) as string))['inputs']).toEqual(canonical(inputs!));
    expect((await Promise.all(refused.map(read))).map(({ detail }) => detail)).toEqual(
      refused.map((id) => `Run ${id} not found`),
    );
    // Sending everything again changes nothing.
    expect((await post([kept, deep, deepest, other], way))[0]).toEqual(answer);
  }
});

test('rejects values that a run cannot store exactly and names them', async () => {
  const refusals: [Members, string][] = [
    [{ name: JSON.stringify('é'.repeat(1_001)) }, 'name may not be longer than 2000 bytes'],
    [{ name: '5' }, 'name must be a string'],
    [{ tags: '"a"' }, 'tags must be a list'],
    [{ tags: '["a",5]' }, 'A tag must be a string'],
    [{ tags: JSON.stringify(['a'.repeat(2_001)]) }, 'A tag may not be longer than 2000 bytes'],
    [{ tags: '["\\u0000","\\u0000"]' }, 'A tag with U+0000, U+FFFD or unpaired surrogates may not repeat'],
    [{ session_name: '"a\\u0000"' }, `session_name: ${UNSTORABLE}`],
    [{ run_type: '"\\ud800"' }, `run_type: ${UNSTORABLE}`],
    [{ error: '{"message":"broken"}' }, 'error must be a string'],
    [{ extra: '[1]' }, 'extra must be an object'],
    [{ extra: '{"metadata":"a"}' }, 'extra.metadata must be an object'],
    [{ start_time: '"0000-01-01T00:00:00Z"' }, 'start_time is not a valid time'],
  ];
  for (const [run, detail] of refusals)
    for (const way of ['batch', 'multipart'] as const) {
      const id = randomUUID();
      const [answer] = await post([{ start_time: '1', ...run, id: JSON.stringify(id) }], way);
      expect(answer).toEqual({
        status: 422,
        json: { detail: `Run ${id}: ${detail}`, errors: [{ run_id: id, detail: `Run ${id}: ${detail}` }] },
      });
    }
  const id = randomUUID();
  const answer = await sendParts([[`post.${id}`, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]]);
  expect(answer).toEqual({
    status: 422,
    json: {
      detail: 'the run is not valid JSON',
      errors: [{ run_id: id, detail: 'the run is not valid JSON' }],
    },
  });
});

test('ignores unknown field types, and rejects indexed texts that are too long one by one', async () => {
  const id = randomUUID();
  const long = jsonText(
    Array.from({ length: 900 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join(
      '',
    ),
  );
  const run = {
    id: JSON.stringify(id),
    name: JSON.stringify((JSON.parse(long) as string).slice(0, 660)),
    run_type: '"agent"',
    start_time: '1',
    tags: `[${JSON.stringify((JSON.parse(long) as string).slice(0, 660))},"b","a",""]`,
    extra: `{"metadata":{"thread_id":${long}}}`,
  };
  expect((await post([run], 'batch'))[0]).toMatchObject({ status: 202 });
  const stored = await read(id);
  expect(stored).toMatchObject({ name: canonical(run.name), run_type: 'agent', extra: canonical(run.extra) });
  const answer = await sendParts([
    [`patch.${id}`, '{"end_time":2}'],
    [`patch.${id}.feelings`, '{}'],
  ]);
  expect(answer).toEqual({
    status: 422,
    json: {
      detail: `Unknown part patch.${id}.feelings; The rest of the batch was stored`,
      errors: [{ run_id: id, detail: `Unknown part patch.${id}.feelings` }],
    },
  });
  expect((await read(id))['status']).toBe('success');
});

test('applies several updates of a run in one request', async () => {
  const id = randomUUID();
  const { status } = await sendParts([
    [`post.${id}`, `{"id":"${id}","name":"twice","start_time":1}`],
    [`post.${id}.inputs`, '{"a":1}'],
    [`patch.${id}`, `{"id":"${id}","end_time":5,"tags":["first"]}`],
    [`patch.${id}.outputs`, '{"a":1}'],
    [`patch.${id}`, `{"id":"${id}","tags":["second"]}`],
    [`patch.${id}.outputs`, '{"a":2}'],
  ]);
  expect(status).toBe(202);
  expect(await read(id)).toMatchObject({
    status: 'success',
    tags: ['first', 'second'],
    outputs: { a: '#2' },
  });
});

test('a child has no dotted order until its parent arrives', async () => {
  const [parent, child] = [randomUUID(), randomUUID()];
  const post = async (run: object) =>
    expect((await send('POST', '/runs', JSON.stringify({ name: 'n', ...run }))).status).toBe(202);
  await post({ id: child, parent_run_id: parent, start_time: 2_000 });
  expect(await read(child)).toMatchObject({ parent_run_id: parent, dotted_order: null });
  await post({ id: parent, start_time: 1_000 });
  const { dotted_order: above } = await read(parent);
  expect((await read(child))['dotted_order']).toMatch(new RegExp(`^${above}\\.\\d+T\\d+Z${child}$`));
});

test('updates keep the order and repetitions of tags and append new ones', async () => {
  const run = { id: randomUUID(), name: 'tagged', start_time: 1 };
  for (const tags of [
    ['z', 'b'],
    ['m', 'b', 'a', 'm'],
    ['a', 'z', 'a'],
  ])
    expect((await send('POST', '/runs', JSON.stringify({ ...run, tags }))).status).toBe(202);
  expect((await read(run.id))['tags']).toEqual(['z', 'b', 'm', 'a', 'm']);
});

test('stores NaN as null next to a large text', async () => {
  const id = randomUUID();
  const text = '\\n NaN \\" -Infinity'.repeat(300_000);
  const run = {
    id: JSON.stringify(id),
    start_time: '1',
    inputs: `{"text":"${text}","n":[NaN,-Infinity,Infinity,1.50]}`,
  };
  expect((await post([run], 'batch'))[0]).toMatchObject({ status: 202 });
  expect((await read(id))['inputs']).toEqual(canonical(`{"text":"${text}","n":[null,null,null,1.5]}`));
});

test('generates missing ids, and dates new_token events without a time now', async () => {
  const before = Date.now();
  const name = randomUUID();
  const post = { name, start_time: before, events: [{ name: 'new_token' }], session_name: name };
  expect(await send('POST', '/runs', JSON.stringify(post))).toMatchObject({ status: 202 });
  const { rows } = await platform.db.query<{ id: string; first_token_time: Date | string }>(
    'select id, first_token_time from tracing.run where name = $1',
    [name],
  );
  expect(rows).toHaveLength(1);
  const first = new Date(rows[0]!.first_token_time).getTime();
  expect(first).toBeGreaterThanOrEqual(before);
  expect(first).toBeLessThanOrEqual(Date.now());
  expect(await read(rows[0]!.id)).toMatchObject({ name, trace_id: rows[0]!.id });
});

test('accepts a duplicated key header and rejects two different keys', async () => {
  const status = async (key: string) =>
    (await fetch(`${api.url}/sessions`, { headers: { 'x-api-key': key } })).status;
  expect(
    await Promise.all([`${API_KEY}, ${API_KEY}`, `${API_KEY}, other`, `other, ${API_KEY}`].map(status)),
  ).toEqual([200, 401, 401]);
});
