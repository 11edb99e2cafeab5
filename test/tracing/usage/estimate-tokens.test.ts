import { beforeAll, expect, test } from '@jest/globals';
import { estimateTokens, tokenCounter } from '../../../src/tracing/usage/estimate-tokens.ts';
import { modelOf } from '../../../src/tracing/usage/model-of-run.ts';
import { PATIENCE_MS } from '../../support/until.ts';

let count: (text: string) => number;
beforeAll(async () => {
  count = await tokenCounter();
});

const named = (name: string) => ({ provider: undefined, names: [{ key: undefined, name }] });
const estimate = (inputs: unknown, outputs: unknown, model = 'gpt-4o') =>
  estimateTokens({ inputs, outputs, model: named(model) }, count);

test("counts the text of messages and the format's overhead", () => {
  const inputs = { model: 'gpt-4o', temperature: 0.5, messages: [{ role: 'user', content: 'hello world' }] };
  expect(estimate(inputs, { choices: [{ message: { role: 'assistant', content: 'hello world' } }] })).toEqual(
    {
      input_tokens: 8,
      output_tokens: 2,
      total_tokens: 10,
      input_token_details: {},
      output_token_details: {},
    },
  );
});

test.each([
  ['content parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello world' }] }] }],
  [
    'LangChain',
    {
      messages: [[{ lc: 1, type: 'constructor', id: ['HumanMessage'], kwargs: { content: 'hello world' } }]],
    },
  ],
  ['Gemini', { contents: [{ role: 'user', parts: [{ text: 'hello world' }] }] }],
  [
    'a medium beside the text',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hello world' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
      ],
    },
  ],
])('counts the same text equally in every format: %s', (_name, inputs) => {
  expect(estimate(inputs, undefined)).toMatchObject({ input_tokens: 8, output_tokens: 0 });
});

test.each([
  [
    'generations',
    { generations: [[{ text: 'hello world', message: { kwargs: { content: 'hello world' } } }]] },
  ],
  ['a pair', ['assistant', 'hello world']],
  ['flat', { role: 'assistant', content: 'hello world' }],
  ['message', { message: { role: 'assistant', content: 'hello world' } }],
])('counts an answer once: %s', (_name, outputs) => {
  expect(estimate({}, outputs)).toMatchObject({ output_tokens: 2 });
});

test('applies factors for other vocabularies and counts tools as JSON', () => {
  const text = 'word '.repeat(1000);
  const plain = estimate({ prompt: text }, undefined)!.input_tokens!;
  expect(estimate({ prompt: text }, undefined, 'claude-x')!.input_tokens).toBeGreaterThan(plain * 1.1);
  const tools = [
    {
      type: 'function',
      function: { name: 'find', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
    },
  ];
  expect(estimate({ prompt: 'x', tools }, undefined)!.input_tokens).toBeGreaterThan(20);
});

test('makes no estimate without text', () => {
  expect(estimate({}, {})).toBeUndefined();
  expect(estimate(undefined, null)).toBeUndefined();
});

test('treats special tokens as text and handles long words and texts quickly', () => {
  expect(estimate({ prompt: '<|endoftext|>' }, undefined)!.input_tokens).toBeGreaterThan(5);
  const started = performance.now();
  const long = estimate({ prompt: 'a'.repeat(3_000_000) }, 'b '.repeat(2_000_000))!;
  expect(long.input_tokens).toBeGreaterThan(300_000);
  expect(long.output_tokens).toBeGreaterThan(1_900_000);
  // A quadratic algorithm would take days.
  expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
});

test('finds the model in the order of the seed', () => {
  const inputs = { model: 'two', model_name: 'three' };
  const run = {
    run_type: 'llm',
    inputs,
    outputs: { model: 'five' },
    metadata: { ls_model_name: 'one' },
    extra: { invocation_params: { model: 'four' } },
  };
  expect(modelOf(run).names.map(({ name }) => name)).toEqual(['one', 'two', 'three', 'four', 'five']);
  expect(modelOf({ ...run, metadata: {} }).names[0]!.name).toBe('two');
  expect(modelOf({ ...run, metadata: {}, inputs: { model_name: 'three' } }).names[0]!.name).toBe('three');
});
