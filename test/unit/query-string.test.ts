import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { readQuery } from '../../src/platform/http/query-string.ts';
import { compileValidator, OneOrMany } from '../../src/platform/schema.ts';

const schema = Type.Object({
  select: Type.Optional(Type.Array(Type.String())),
  wait: Type.Optional(Type.Boolean()),
  limit: Type.Integer({ default: 10 }),
});
const read = (query: string) =>
  compileValidator(schema, 'query')(readQuery(new URLSearchParams(query), schema));

test.each(['select=a&select=b', 'select=a,b', 'select=["a","b"]'])('%s is a list', (query) => {
  expect(read(query)).toEqual({ select: ['a', 'b'], limit: 10 });
});

test.each([
  ['wait=1', true],
  ['wait=True', true],
  ['wait=false', false],
  ['wait=0', false],
])('%s is a boolean', (query, value) => {
  expect(read(query).wait).toBe(value);
});

test('numbers are coerced, and invalid ones refused by name', () => {
  expect(read('limit=3').limit).toBe(3);
  expect(() => read('limit=x')).toThrow('query.limit must be integer');
});

test('a null body field is dropped unless null is allowed', () => {
  const check = compileValidator(
    Type.Object({
      input: Type.Optional(Type.Unknown()),
      metadata: Type.Optional(Type.Object({ tags: Type.Optional(Type.Array(Type.String())) })),
      mode: Type.Optional(OneOrMany(Type.String())),
    }),
    'body',
  );
  expect(check({ input: null, metadata: null, mode: null })).toEqual({ input: null });
  expect(check({ metadata: { tags: null } })).toEqual({ metadata: {} });
});

test('a missing field is reported with its location', () => {
  const check = compileValidator(Type.Object({ assistant_id: Type.String() }), 'body');
  expect(() => check({})).toThrow('body.assistant_id is required');
});
