import { expect, test } from '@jest/globals';
import { ExampleRules } from '../../src/tracing/datasets/rules/example-rules.ts';
import { ExampleSchema } from '../../src/tracing/datasets/rules/example-schema.ts';
import type { Transformation } from '../../src/tracing/datasets/rules/transformations.ts';

const MESSAGE = 'https://api.smith.langchain.com/public/schemas/v1/message.json';
const TOOL = 'https://eu.api.smith.langchain.com/public/schemas/v1/tooldef.json';

const errors = (schema: object, ...values: unknown[]) =>
  new ExampleSchema(schema as Record<string, unknown>, 'the schema').errorsOf(values);

test('bodies are validated by JSON Schema, and errors have a location', () => {
  const schema = {
    type: 'object',
    required: ['q'],
    properties: { q: { type: 'string', pattern: '^[a-z]+$' } },
  };
  expect(errors(schema, { q: 'why' }, { q: 'W' }, {})).toEqual([
    undefined,
    '.q must match pattern "^[a-z]+$"',
    " must have required property 'q'",
  ]);
  const unique = { type: 'array', uniqueItems: true };
  const [, repeated] = errors(
    unique,
    [{ a: 1, b: 2 }, { a: 2 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  );
  expect(repeated).toMatch('uniqueItems');
});

test("chat messages and tools are recognised by the hosted platform's schema URLs", () => {
  const schema = {
    type: 'object',
    properties: { messages: { type: 'array', items: { $ref: MESSAGE } }, tools: { items: { $ref: TOOL } } },
  };
  const good = {
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
  };
  expect(errors(schema, good)).toEqual([undefined]);
  expect(errors(schema, { messages: [{ role: 'pilot' }] })[0]).toMatch('.messages.0.role');
  expect(errors(schema, { tools: [{ name: 'f' }] })[0]).toMatch('.tools.0');
});

test.each([
  ['no schema', { type: 'colour' }],
  ['a pattern that is none', { pattern: '(' }],
  ['a pattern that looks back', { pattern: '(a)\\1' }],
  ['a schema that is elsewhere', { $ref: 'http://localhost:1/schema.json' }],
  ['a schema without an end', { $ref: '#' }],
  [
    'a schema that takes for ever',
    Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => n).map((n) => [
        n === 0 ? 'allOf' : `x${n}`,
        n === 0
          ? [{ $ref: '#/x1' }]
          : n === 39
            ? {}
            : { anyOf: [{ allOf: [{ $ref: `#/x${n + 1}` }, false] }, { $ref: `#/x${n + 1}` }, false] },
      ]),
    ),
  ],
])('%s is refused in words, in bounded time', (_name, schema) => {
  expect(() => errors(schema, { a: 1 })).toThrow(/is not a valid JSON Schema|could not be applied/);
});

const transform = (
  steps: [path: string, type: Transformation['transformation_type']][],
  inputs: object,
  tools?: unknown[],
) =>
  new ExampleRules({
    inputs_schema_definition: { type: 'object', properties: { q: {}, inner: { properties: { kept: {} } } } },
    outputs_schema_definition: null,
    transformations: steps.map(([path, transformation_type]) => ({
      path: path.split('.'),
      transformation_type,
    })),
  }).transform({ inputs: inputs as Record<string, unknown>, outputs: null }, tools).inputs;

test('examples are transformed step by step; unknown paths change nothing', () => {
  const inputs = {
    messages: [
      { type: 'system', content: 'Be kind.' },
      {
        type: 'human',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { at: 'sky' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'blue' }] },
    ],
  };
  const steps: Parameters<typeof transform>[0] = [
    ['inputs.messages', 'remove_system_messages'],
    ['inputs.messages', 'convert_to_openai_message'],
    ['inputs.nothing.there', 'convert_to_openai_message'],
    ['inputs.tools', 'extract_tools_from_run'],
  ];
  const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } };
  expect(transform(steps, inputs, [tool])).toEqual({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
      },
      { role: 'tool', content: 'blue', tool_call_id: 'c1' },
    ],
    tools: [
      { type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } },
    ],
  });
  expect(transform(steps, {})).toEqual({});
});

test('fields not in the schema are removed, if it has any', () => {
  const inputs = { q: 1, more: 2, inner: { kept: 3, other: 4 }, list: [1] };
  expect(transform([['inputs', 'remove_extra_fields']], inputs)).toEqual({
    q: 1,
    inner: { kept: 3, other: 4 },
  });
  expect(transform([['inputs.inner', 'remove_extra_fields']], inputs)).toEqual({
    ...inputs,
    inner: { kept: 3 },
  });
  expect(transform([['outputs', 'remove_extra_fields']], inputs)).toEqual(inputs);
});
