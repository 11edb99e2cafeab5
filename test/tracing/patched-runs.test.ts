import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { canonical } from '../support/canonical-json.ts';
import { extraText, runText } from '../support/run-arbitrary.ts';
import { type Members, objectText, runLog, type Said, type Way } from './run-log.ts';

const PATCHED = Math.ceil(Number(process.env['SLIPWAY_TEST_BATCHES'] ?? 200) / 2);
const MOST_IN_FLIGHT = 50;
const PATCHABLE = ['outputs', 'error', 'events', 'tags', 'inputs', 'serialized'];

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api');
});

const { log, read, readMany } = runLog(() => api);

const split = fc.record({
  run: runText,
  moved: fc.subarray(PATCHABLE),
  more: fc.array(extraText, { minLength: 1, maxLength: 3 }),
  order: fc.constantFrom('before' as const, 'together' as const, 'after' as const),
  way: fc.constantFrom<Way>('batch', 'multipart', 'single'),
});

test(`merges patches and posts in any order (${PATCHED} runs)`, async () => {
  const inFlight = Math.min(PATCHED, MOST_IN_FLIGHT);
  await fc.assert(
    fc.asyncProperty(fc.array(split, { minLength: inFlight, maxLength: inFlight }), async (runs) => {
      const logged = await Promise.all(
        runs.map(async ({ run, moved, more, order, way }) => {
          const id = JSON.stringify(randomUUID());
          const has = (key: string) => moved.includes(key);
          const post = { ...pick(run, (key) => !has(key)), id };
          const first = { ...pick(run, has), extra: more[0]!, id };
          const patches = [first, ...more.slice(1).map((extra): Members => ({ extra, id }))];
          const operations: Said[] = patches.map((patch) => ({ kind: 'patch', run: patch }));
          const posted: Said = { kind: 'post', run: post };
          const requests = {
            before: [...operations.map((one) => [one]), [posted]],
            together: [[posted, ...operations]],
            after: [[posted], ...operations.map((one) => [one])],
          }[order];
          for (const request of requests)
            for (const { status, json } of await inTurn(request, way))
              expect([status, json.detail]).toEqual([202, undefined]);
          return { run: { ...run, id }, extras: [run['extra'] ?? '{}', ...more], order };
        }),
      );
      const ids = logged.map(({ run }) => JSON.parse(run.id) as string);
      const stored = await readMany(ids);
      for (const [index, { run, extras, order }] of logged.entries()) {
        const { extra: _merged, ...others } = canonical(objectText(run)) as Record<string, any>;
        const kept = stored.get(ids[index]!) ?? {};
        expect([order, pick(kept, (key) => key in others)]).toEqual([order, others]);
        expect([order, kept['extra']]).toEqual([order, merged(extras)]);
      }
    }),
    { numRuns: Math.ceil(PATCHED / inFlight), endOnFailure: true },
  );
}, 3_600_000);

/** Sequential, because concurrent requests for the same run could overtake each other. */
const inTurn = async (operations: Said[], way: Way) => {
  if (way !== 'single') return log(operations, way);
  const answers = [];
  for (const one of operations) answers.push(...(await log([one], way)));
  return answers;
};

const pick = <Value>(from: Record<string, Value>, isWanted: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => isWanted(key)));

function merged(extras: string[]): Record<string, any> {
  const all = extras.map((text) => canonical(text) as Record<string, any>);
  // Object.assign would treat __proto__ as a setter.
  const join = (objects: object[]) => objects.reduce((joined, object) => ({ ...joined, ...object }), {});
  return { ...join(all), metadata: join(all.map((extra) => extra['metadata'] as object)) };
}

test('a patch replaces metadata of the post, whether large or small', async () => {
  const [small, large] = ['"new"', JSON.stringify('old'.repeat(2_000))];
  for (const [before, after] of [
    [small, large],
    [large, small],
    [large, `[${large}]`],
    ['9007199254740993', '9007199254740995'],
    ['1e400', '1'],
    ['-0', '0'],
    ['[1e400]', '[null]'],
    ['"\\u0000"', '"\ufffd"'],
  ]) {
    const id = JSON.stringify(randomUUID());
    const say = (value: string, other: string): Members => ({
      id,
      extra: `{"${other}":1,"metadata":{"value":${value},"${other}":${value}}}`,
    });
    await log([{ kind: 'post', run: { ...say(before!, 'posted'), start_time: '1' } }], 'batch');
    await log([{ kind: 'patch', run: say(after!, 'patched') }], 'batch');
    const { extra, metadata } = await read(JSON.parse(id) as string);
    expect(extra).toEqual({
      posted: '#1',
      patched: '#1',
      metadata: { value: canonical(after!), posted: canonical(before!), patched: canonical(after!) },
    });
    expect(metadata).toEqual(extra.metadata);
  }
});

test('returns texts that Postgres cannot store exactly, and masks them', async () => {
  const id = randomUUID();
  const [name, tags] = ['a\0b\ud800', ['\0', '\ufffd', 'plain']];
  await log(
    [
      {
        kind: 'post',
        run: {
          id: JSON.stringify(id),
          name: JSON.stringify(name),
          tags: JSON.stringify(tags),
          start_time: '1',
        },
      },
    ],
    'batch',
  );
  const select = ['name', 'tags', 'error'];
  const { json } = await ask(api.url, 'POST', '/runs/query', { id: [id], select });
  expect(json.runs).toEqual([expect.objectContaining({ name, tags, error: null })]);

  const masks = (rules: object[]) => ask(api.url, 'PUT', '/platform/masks', { rules });
  expect((await masks([{ pattern: 'secret', replacement: '***' }])).status).toBe(200);
  const patch = { id: JSON.stringify(id), error: '"secret\\u0000"', tags: '["secret\\ud800"]' };
  await log([{ kind: 'patch', run: patch }], 'batch');
  expect(await read(id)).toMatchObject({
    name,
    error: '***\0',
    tags: [...tags, '***\ud800'],
    extra: { metadata: {} },
  });
  await masks([]);
});
