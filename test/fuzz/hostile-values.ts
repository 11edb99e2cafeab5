import fc from 'fast-check';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  'x\uDFFF',
  '\u{1F600}\u202E\uFEFF',
  'null',
  'a\r\nx-injected: 1',
  'data: 1\n\nevent: end',
  '__proto__',
  'constructor',
  "'; drop table thread; --",
  '%25%00%zz',
  '../../../outside',
  '{{constructor}}',
  '$1',
  '*',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'urn:uuid:6ba7b811-9dad-11d1-80b4-00c04fd430c8',
  '6ba7b8119dad11d180b400c04fd430c8',
  '2026-13-45T99:99:99Z',
  'infinity',
  'a'.repeat(3_000),
  'ä\u{1F600}'.repeat(20_000),
];

const NUMBERS = [0, -0, -1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, 1e15, 1e-320, 1e308, -1e308];

const OBJECTS = [
  [],
  {},
  [null],
  [[]],
  { '': '' },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
  JSON.parse('{"toString": 1, "hasOwnProperty": 2, "then": 3, "toJSON": 4}'),
  {
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'HumanMessage'],
    kwargs: { content: 'x' },
  },
  { 'a\0': 'b\0', '\uD800': '\uD800' },
  nested(60),
  nested(600),
  nested(1_000),
  Array.from({ length: 1_000 }, () => 'x'),
] as unknown[];

/** Strings that tend to break things. */
export const hostileText = (): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));

/** Values that tend to break things; all can be written as JSON. */
export const hostileValue = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: hostileText() },
    { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
    { weight: 2, arbitrary: fc.constantFrom(...OBJECTS) },
    { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  );

/** Bodies that are not what their content type says, or only just. */
export const hostileBody = (): fc.Arbitrary<string> =>
  fc.constantFrom(
    '{',
    '{"a":1',
    '{"a":1}}',
    "{'a':1}",
    '{"metadata":{"a":1e400}}',
    '{"metadata":{"a":123456789012345678901234567890}}',
    '{"metadata":{"a":1},"metadata":{"b":2}}',
    '{"limit":1e3,"offset":0.0}',
    '\uFEFF{}',
    'null',
    'true',
    '0',
    '"text"',
    '[]',
    '[{}]',
    '[null]',
    '\0',
    '   ',
    '',
    'a=b&c=d',
    '<xml/>',
    '{"__proto__":{"limit":1}}',
    `{"metadata":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
  );
