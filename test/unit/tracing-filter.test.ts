import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PublicError } from '../../src/platform/errors.ts';
import { conditionSql } from '../../src/tracing/query/filter/condition-sql.ts';
import { RunBodies } from '../../src/tracing/query/filter/body-test.ts';
import type { BodyTest } from '../../src/tracing/query/filter/condition.ts';
import { isLike } from '../../src/tracing/query/filter/is-like.ts';
import { readFilter } from '../../src/tracing/query/filter/read-filter.ts';

function compile(filter: string) {
  const values: unknown[] = [];
  const tests: BodyTest[] = [];
  const sql = conditionSql(readFilter(filter), 'r', {
    bind: (value) => `$${values.push(value)}`,
    body: (test, _r, negated) => {
      tests.push(test);
      return negated ? 'false' : 'true';
    },
  });
  return { sql: sql.replaceAll(/\s+/g, ' '), values, tests };
}

const ID = '0d1f3c1e-8f4f-4a3f-9b64-0a9a6c0d3e11';

test.each([
  ['eq(name, "x")', 'r.name = $1::text', ['x']],
  ["neq(run_type,'llm')", 'not coalesce(r.run_type = $1::text, false)', ['llm']],
  ['eq(error, null)', 'not coalesce(r.error is not null, false)', []],
  ['neq(error, null)', 'r.error is not null', []],
  ['eq(is_root, true)', '(r.parent_run_id is null) = $1::boolean', [true]],
  ['gt(latency, "200ms")', 'extract(epoch from r.end_time - r.start_time) > $1::numeric', [0.2]],
  ['lt(latency, 1.5)', 'extract(epoch from r.end_time - r.start_time) < $1::numeric', [1.5]],
  ['gte(latency, "1m")', 'extract(epoch from r.end_time - r.start_time) >= $1::numeric', [60]],
  ['gt(start_time, "2025-01-31")', 'r.start_time > $1::timestamptz', ['2025-01-31T00:00:00.000000Z']],
  ['gte(total_tokens, 100)', 'r.total_tokens >= $1::numeric', [100]],
  [`in(id, ["${ID}"])`, 'r.id = any($1::uuid[])', [[ID]]],
  ['has(tags, "beta")', 'r.tags @> $1::text[]', [['beta']]],
  ['in(tags, ["a", "b"])', 'r.tags && $1::text[]', [['a', 'b']]],
  [`has(metadata, '{"a": "b\\"c"}')`, 'r.metadata @> $1::jsonb', ['{"a":"b\\"c"}']],
  ['like(name, "a%\\\\")', "r.name::text like $1::text escape ''", ['a%\\']],
  [
    'and(eq(run_type, "llm"), or(eq(status, "error"), not(gt(total_cost, 0.1))))',
    '(r.run_type = $1::text and (r.status = $2::text or not coalesce(r.total_cost > $3::numeric, false)))',
    ['llm', 'error', 0.1],
  ],
  [
    'and(eq(feedback_key, "good"), gte(feedback_score, 0.5))',
    '(exists (select 1 from tracing.feedback p where p.tenant_id = r.tenant_id and p.run_id = r.id and p.key = $1::text and p.score >= $2::numeric))',
    ['good', 0.5],
  ],
  [
    'neq(metadata_key, "k")',
    'not coalesce(exists (select 1 from tracing.pairs(r.metadata) p where p.key = $1::text), false)',
    ['k'],
  ],
  [
    'and(eq(metadata_key, "k"), neq(metadata_value, "v"))',
    '(exists (select 1 from tracing.pairs(r.metadata) p where p.key = $1::text and not coalesce(p.value = $2::text, false)))',
    ['k', 'v'],
  ],
  [
    'and(neq(metadata_key, "k"), neq(metadata_value, "v"))',
    '(not coalesce((r.metadata @> $1::jsonb or r.metadata @> $2::jsonb), false))',
    ['{"k":"v"}', '{"k":["v"]}'],
  ],
  [
    'and(neq(metadata_key, "k"), eq(metadata_value, "v"))',
    '(exists (select 1 from tracing.pairs(r.metadata) p where not coalesce(p.key = $1::text, false) and p.value = $2::text))',
    ['k', 'v'],
  ],
])('%s', (filter, sql, values) => {
  expect(compile(filter)).toMatchObject({ sql, values });
});

test('keys and values are paired in order', () => {
  const { values } = compile(
    'and(eq(metadata_key,"a"), eq(metadata_value,"1"), eq(metadata_key,"b"), eq(metadata_value,"x"))',
  );
  expect(values).toEqual(['{"a":"1"}', '{"a":["1"]}', '{"a":1}', '{"a":[1]}', '{"b":"x"}', '{"b":["x"]}']);
});

test.each<[string, string]>([
  ['', 'character 1: unexpected end of filter'],
  ['eq(name, "x"', 'character 13: expected , or )'],
  ['eq(name, "x") and', 'character 15: expected the end of the filter'],
  ['eq(name "x")', 'character 9: expected , or )'],
  ['eq(nme, "x")', 'character 4: unknown field nme'],
  ['foo(name)', 'character 1: unknown function foo'],
  ['eq(start_time, "soon")', 'character 16: expected a time'],
  ['eq(id, "1")', 'character 8: expected a UUID'],
  ['gt(latency, "5 lightyears")', 'character 13: expected seconds'],
  ['eq(name, #)', 'character 10: expected a name'],
  ['eq(toString, "x")', 'character 4: unknown field'],
  [`${'not('.repeat(60)}eq(name,"x")${')'.repeat(60)}`, 'nested deeper than 50'],
  [`or(${Array.from({ length: 1001 }, () => 'eq(name,"x")').join()})`, 'more than 1000 function calls'],
  [`eq(name, "${'x'.repeat(70_000)}")`, 'longer than 65536'],
  [`has(metadata, '${'{"a":'.repeat(60)}1${'}'.repeat(60)}')`, 'the object is nested deeper'],
])('what is no filter is refused with the place (%#)', (filter, message) => {
  expect(() => readFilter(filter)).toThrow(
    expect.objectContaining({ name: 'InvalidFilter', message: expect.stringContaining(message) }),
  );
});

test('text is always a parameter', () => {
  const filter = fc.oneof(
    fc.tuple(fc.constantFrom('name', 'metadata_key', 'metadata_value', 'tags', 'feedback_key'), fc.string()),
    fc.tuple(fc.constantFrom('name', 'error'), fc.constantFrom("'; drop table x --", '$1', "\\'", '%\\')),
  );
  fc.assert(
    fc.property(filter, fc.constantFrom('eq', 'neq', 'like', 'in'), ([field, text], op) => {
      const plain = compile(`${op}(${field}, "x")`);
      const asked = compile(`${op}(${field}, ${JSON.stringify(text)})`);
      expect(asked.sql).toBe(plain.sql);
    }),
  );
});

const piece = fc.oneof(
  fc.constantFrom(
    'eq(',
    'and(',
    'not(',
    'has(',
    'search(',
    'in(',
    ')',
    '[',
    ']',
    ',',
    'name',
    'tags',
    'metadata',
  ),
  fc.constantFrom(
    'latency',
    'null',
    'true',
    '"x"',
    '\'{"a":1}\'',
    '5',
    '-1e999',
    '"',
    "'",
    '\\',
    '\0',
    '\ud800',
  ),
  fc.string(),
);
test('any text is a filter or a filter error', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      try {
        compile(pieces.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(PublicError);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('words and pairs are searched in bodies', () => {
  const bodies = new RunBodies({
    inputs: '{"messages":[{"role":"user","content":"Gr\\u00fc\\u00dfe aus Bern"}],"top":{"k":5}}',
    outputs: undefined,
  });
  const passes = (filter: string) => compile(filter).tests.map((test) => bodies.passes(test));
  expect(passes('search("GRÜSSE bern")')).toEqual([false, true]);
  expect(passes('search(inputs, "grüße aus")')).toEqual([true, true]);
  expect(passes('search(outputs, "bern")')).toEqual([false]);
  expect(passes('and(eq(input_key, "messages.role"), eq(input_value, "user"))')).toEqual([true]);
  expect(passes('and(eq(input_key, "messages.role"), eq(input_value, "Bern"))')).toEqual([false]);
  expect(passes('and(eq(input_key, "top.k"), gt(input_value, 4))')).toEqual([true]);
  expect(passes('has(inputs, \'{"top": {"k": 5}}\')')).toEqual([true]);
  expect(passes('exists(inputs, "top")')).toEqual([true]);
  expect(passes('and(eq(output_key, "a"), neq(output_value, 1))')).toEqual([false]);
});

test('pattern matching does not backtrack', () => {
  expect(isLike('abc', 'a%')).toBe(true);
  expect(isLike('abc', '_b_')).toBe(true);
  expect(isLike('abc', 'b%')).toBe(false);
  expect(isLike('a'.repeat(10_000), `${'%a'.repeat(50)}%b`)).toBe(false);
});
