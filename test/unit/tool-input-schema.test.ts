import { expect, test } from '@jest/globals';
import { toolInputSchema } from '../../src/agent-server/mcp/tool-input-schema.ts';

test('an empty or non-object schema becomes an open object', () => {
  for (const schema of [null, { type: 'string' }, {}])
    expect(toolInputSchema(schema)).toEqual({ type: 'object' });
});

test('resolvable references are kept with their targets; others become open', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { 'a/b': { type: 'string' } },
    properties: {
      inside: { $ref: '#/$defs/a~1b' },
      nowhere: { $ref: '#/$defs/gone', description: 'kept' },
      outside: { type: 'array', items: { $ref: 'https://example.com/schema.json' } },
    },
    additionalProperties: false,
  };
  expect(toolInputSchema(schema)).toEqual({
    ...schema,
    type: 'object',
    properties: {
      inside: { $ref: '#/$defs/a~1b' },
      nowhere: { description: 'kept' },
      outside: { type: 'array', items: {} },
    },
  });
});

test('messages become plain strings or role and content objects, at any depth', () => {
  const messages = {
    type: 'array',
    langgraph_type: 'messages',
    items: { $ref: '#/definitions/BaseMessage' },
  };
  const { properties } = toolInputSchema({
    type: 'object',
    properties: { messages, nested: { type: 'object', properties: { messages } } },
  }) as any;
  expect(properties.messages.items.anyOf).toEqual([
    { type: 'string' },
    expect.objectContaining({ required: ['role', 'content'] }),
  ]);
  expect(properties.nested.properties.messages).toEqual(properties.messages);
});
