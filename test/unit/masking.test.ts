import { expect, test } from '@jest/globals';
import { InvalidSetting } from '../../src/platform/settings.ts';
import { maskOperation } from '../../src/tracing/ingest/mask-operation.ts';
import { maskValue } from '../../src/tracing/masking/mask-values.ts';
import { compileMasks, InvalidMask, readMasks } from '../../src/tracing/masking/mask-rules.ts';
import { parseLoose } from '../../src/tracing/json/loose-json.ts';
import { readOne } from '../../src/tracing/ingest/read-batch.ts';
import { operationsOf } from '../support/run-operations.ts';

const EMAIL = { pattern: String.raw`[\w.+-]+@[\w-]+\.[a-z]{2,}`, replacement: '<$1>' };
const masks = compileMasks([EMAIL, { pattern: String.raw`\b\d{4}-\d{4}\b` }]);
const ID = '3f0e1c9a-7d5b-4c3a-9e2f-1a2b3c4d5e6f';

test('masks all texts of a run and nothing else', () => {
  const [operation] = operationsOf([
    {
      id: ID,
      name: 'greet',
      inputs: { deep: [{ 'to@x.io': 'write to ada@example.com or "bob@example.com"' }], n: 12345678 },
      outputs: { card: '1234-5678' },
      error: 'no mail to ada@example.com',
      tags: ['ada@example.com', 'plain'],
      events: [{ name: 'new_token', kwargs: { token: 'ada@example.com' } }],
      extra: { metadata: { user: 'ada@example.com', n: 1 }, runtime: { said: 'ada@example.com' } },
      serialized: { plain: true },
    },
  ]);
  const before = operation!.bodies.serialized;
  maskOperation(operation!, masks);
  const text = Object.fromEntries(
    Object.entries(operation!.bodies).map(([column, body]) => [column, String(body)]),
  );
  expect(JSON.parse(text['inputs']!)).toEqual({
    deep: [{ 'to@x.io': 'write to <$1> or "<$1>"' }],
    n: 12345678,
  });
  expect(operation!.parsed.inputs).toEqual(JSON.parse(text['inputs']!));
  expect(text['outputs']).toBe('{"card":"[masked]"}');
  expect(operation).toMatchObject({
    values: { name: 'greet', error: 'no mail to <$1>' },
    tags: ['<$1>', 'plain'],
    metadata: { user: '<$1>', n: 1 },
  });
  expect(JSON.stringify([text, operation!.metadata])).not.toContain('ada@');
  expect(operation!.bodies.serialized).toBe(before);
});

test('values without a match are returned unchanged', () => {
  const value = { list: [{ said: 'nothing' }], n: 1, none: null };
  expect(maskValue(value, masks)).toBe(value);
});

test('patterns are linear on any text', () => {
  const started = performance.now();
  maskValue(`${'a'.repeat(50_000)}!`, compileMasks([{ pattern: '(a+)+$' }, { pattern: '(a|aa)+c' }]));
  // A backtracking engine would take years.
  expect(performance.now() - started).toBeLessThan(60_000);
});

test('invalid rules are refused with a reason', () => {
  expect(() => compileMasks([{ pattern: '(' }])).toThrow(InvalidMask);
  expect(() => compileMasks([{ pattern: '(?=x)' }])).toThrow(InvalidMask);
  expect(readMasks('[{"pattern":"a"}]')).toHaveLength(1);
  for (const wrong of ['{}', '[{"pattern":""}]', '[{"patern":"a"}]', '[{"pattern":"("}]'])
    expect(() => readMasks(wrong)).toThrow(InvalidSetting);
});

test("masking keeps a body's numbers exactly", () => {
  const text = `{"id":"${ID}","inputs":{"n":12345678901234567890,"f":1.0,"to@x.io":"ada@example.com"}}`;
  const [operation] = readOne('post', parseLoose(Buffer.from(text))!).operations;
  maskOperation(operation!, masks);
  expect(String(operation!.bodies.inputs)).toBe('{"n":12345678901234567890,"f":1.0,"to@x.io":"<$1>"}');
});
