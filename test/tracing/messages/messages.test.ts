import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { canonicalMessages, RunMessages } from '../../../src/tracing/messages/canonical-messages.ts';
import { withoutLargeMedia } from '../../../src/tracing/messages/media.ts';
import type { Message } from '../../../src/tracing/messages/message.ts';
import type { RunBodies } from '../../../src/tracing/messages/message-formats.ts';
import { previewOf } from '../../../src/tracing/messages/preview.ts';

interface Case {
  name: string;
  run: RunBodies;
  expected: { messages: unknown[]; warnings: object[]; format: object; raw?: object };
}

const corpus = new URL('./corpus/', import.meta.url);
const isValid = new Ajv({ strict: false }).compile(RunMessages);

describe.each(readdirSync(corpus))('%s', (file) => {
  const cases = JSON.parse(readFileSync(new URL(file, corpus), 'utf8')) as Case[];
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, { run, expected }) => {
    const before = JSON.stringify(run);
    const { messages, warnings, format, raw } = canonicalMessages(run);
    expect({ messages, format, raw }).toEqual({
      messages: expected.messages,
      format: expected.format,
      raw: expected.raw,
    });
    expect(warnings).toEqual(
      expected.warnings.map((warning) => ({ ...warning, detail: expect.any(String) })),
    );
    expect(isValid(canonicalMessages(run)) || isValid.errors).toBe(true);
    expect(JSON.stringify(run)).toBe(before);
  });
});

// Keys and values used by the formats, so that random values hit them.
const WORDS = readdirSync(corpus).flatMap((file) => [
  ...new Set(readFileSync(new URL(file, corpus), 'utf8').match(/(?<=")[A-Za-z_-]+(?=")/g)),
]);
const word = fc.constantFrom(...new Set(WORDS), '__proto__', 'constructor', 'toString');
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(word, fc.jsonValue({ maxDepth: 1 })),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(word, tie('value'), { maxKeys: 6 }),
  ),
})).value;

/** A run of the corpus with one random value replaced. */
const runs = readdirSync(corpus).flatMap((file) =>
  (JSON.parse(readFileSync(new URL(file, corpus), 'utf8')) as Case[]).map(({ run }) => run),
);
const disturbed = fc.tuple(fc.constantFrom(...runs), fc.nat(), anyJson).map(([run, at, value]) => {
  const count = { left: at % 60 };
  return JSON.parse(JSON.stringify(run), (_key, one: unknown) =>
    count.left-- === 0 ? value : one,
  ) as RunBodies;
});

test('reads arbitrary logged values by the schema and never fails', () => {
  const run = fc.record({
    run_type: fc.constantFrom('llm', 'chain', 'tool', null),
    name: fc.constantFrom('f', null),
    inputs: anyJson,
    outputs: anyJson,
  });
  fc.assert(
    fc.property(fc.oneof(run, disturbed), (one) => {
      const read = canonicalMessages(one ?? {});
      const sent = JSON.parse(JSON.stringify(read)) as unknown;
      if (!isValid(sent)) throw new Error(JSON.stringify(isValid.errors));
      for (const side of ['inputs', 'outputs'] as const)
        expect((previewOf(one?.[side], side) ?? '').length).toBeLessThanOrEqual(160);
    }),
    { numRuns: 800 },
  );
});

describe('previews', () => {
  const chat = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'between' },
    { role: 'user', content: [{ type: 'text', text: 'last' }] },
    { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: '{"a":1}' } }] },
    { role: 'tool', content: '42' },
  ];
  test.each<[string, unknown, 'inputs' | 'outputs', string | undefined]>([
    ['the last human message', { messages: chat }, 'inputs', 'last'],
    ['the last model message', { messages: chat }, 'outputs', 'between'],
    ['a call without text', { messages: chat.slice(3, 4) }, 'outputs', 'f({"a":1})'],
    ['text alone', { output: 'hello', model: 'm' }, 'outputs', 'hello'],
    ['long text alone', { output: 'word '.repeat(9_000) }, 'outputs', `${'word '.repeat(60).slice(0, 159)}…`],
    ['short JSON', { who: 'Ada', n: [1, null] }, 'inputs', '{"who":"Ada","n":[1,null]}'],
    ['nothing', null, 'outputs', undefined],
  ])('show %s', (_name, value, side, expected) => {
    const shown = previewOf(value, side);
    expect(shown).toBe(expected);
  });

  test('are cut at 160 characters without splitting one', () => {
    const shown = previewOf({ messages: [{ role: 'user', content: 'é'.repeat(158) + '😀😀' }] }, 'inputs')!;
    expect(shown).toBe(`${'é'.repeat(158)}…`);
  });

  test('replace large media by their hash', () => {
    const base64 = 'QUJD'.repeat(16_384);
    expect(previewOf({ picture: base64, n: 1 }, 'inputs')).toMatch(
      /^\{"picture":"… sha256:[0-9a-f]{64}","n":1\}$/,
    );
    const message = { role: 'user', content: [{ type: 'image', base64 }] } satisfies Message;
    const [shown] = withoutLargeMedia([message]);
    expect(shown!.content[0]).toMatchObject({
      base64: '…',
      extras: { sha256: expect.any(String), size: 49_152 },
    });
  });

  test('use the end of long conversations and the start of long streams', () => {
    let looks = 0;
    const counted = (key: string, values: unknown[]) =>
      values.map((value) =>
        Object.defineProperty({ role: 'user' }, key, { enumerable: true, get: () => (looks++, value) }),
      );
    const texts = Array.from({ length: 20_000 }, (_, index) => `said ${index}`);
    expect(previewOf({ messages: counted('content', texts) }, 'inputs')).toBe('said 19999');
    const chunks = texts.map((content) => [{ delta: { content } }]);
    expect(previewOf({ outputs: counted('choices', chunks) }, 'outputs')).toMatch(/^said 0said 1said 2/);
    expect(looks).toBeLessThan(8_000);
  });
});

// More than the maximum number of function arguments.
test.each<[string, unknown]>([
  ['choices', { choices: many(() => ({ message: { content: 'x' } })) }],
  ['calls', { role: 'assistant', tool_calls: many((id) => ({ id: `${id}`, name: 'f', args: {} })) }],
  ['blocks', { role: 'assistant', content: many(() => ({ type: 'text', text: 'x' })) }],
])('very many %s are read', (_name, outputs) => {
  const { messages } = canonicalMessages({ outputs });
  expect(messages.length * messages[0]!.content.length).toBe(130_000);
});

function many<Item>(item: (index: number) => Item): Item[] {
  return Array.from({ length: 130_000 }, (_, index) => item(index));
}
