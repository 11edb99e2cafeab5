import { expect, test } from '@jest/globals';
import { parseExtract, parseExtractPath } from '../../src/agent-server/records/extract-path.ts';

test.each([
  ['values', 'values', []],
  ['values.messages', 'values', ['messages']],
  ['values.messages[-1].content', 'values', ['messages', '-1', 'content']],
  ['values.a[0][12]', 'values', ['a', '0', '12']],
  ['metadata.owner-id', 'metadata', ['owner-id']],
  ['config.configurable.my key', 'config', ['configurable', 'my key']],
  ['interrupts[0]', 'interrupts', ['0']],
])('%s is a path', (text, root, steps) => {
  expect(parseExtractPath(text)).toEqual({ root, steps });
});

test.each([
  '',
  'status',
  'valuesx.a',
  'values.',
  'values..a',
  'values[a]',
  'values[]',
  'values[1',
  'values.a]',
  'values[1]b',
  '.values',
])('%j is refused', (text) => {
  expect(() => parseExtractPath(text)).toThrow(expect.objectContaining({ status: 422 }));
});

test.each(['a-b', '1a', '', 'a b', 'status', 'values', 'ttl', 'extracted'])(
  'the alias %j is refused',
  (alias) => {
    expect(() => parseExtract({ [alias]: 'values' })).toThrow(expect.objectContaining({ status: 422 }));
  },
);

test('an alias may be any identifier that names no field', () => {
  expect([...parseExtract({ last: 'values.a', constructor: 'values.b', _1: 'metadata' }).keys()]).toEqual([
    'last',
    'constructor',
    '_1',
  ]);
});
