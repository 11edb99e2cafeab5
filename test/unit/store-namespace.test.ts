import { expect, test } from '@jest/globals';
import {
  checkItemName,
  checkLabels,
  decodeNamespace,
  encodeNamespace,
  namespacePattern,
  namespaceRange,
} from '../../src/agent-server/store/store-namespace.ts';
import { storedJson } from '../../src/agent-server/store/stored-json.ts';

test('a namespace is stored with a dot after each label and survives a round trip', () => {
  const labels = ['users', 'ada lovelace', 'ünï/cödé', '*', "';--"];
  expect(encodeNamespace(['users', 'ada'])).toBe('users.ada.');
  expect(decodeNamespace(encodeNamespace(labels))).toEqual(labels);
});

test('invalid labels never collide with valid ones', () => {
  expect(encodeNamespace(['a.b'])).not.toBe(encodeNamespace(['a', 'b']));
  expect(encodeNamespace(['a\0b'])).toBe('a\uFFFDb.');
});

test('a prefix range contains exactly what is below the prefix', () => {
  const [from, to] = namespaceRange(['users', 'ada'])!;
  const inRange = (labels: string[]) => encodeNamespace(labels) >= from && encodeNamespace(labels) < to;
  expect(
    [
      ['users', 'ada'],
      ['users', 'ada', 'memories'],
      ['users', 'ada', '\u{10FFFF}'],
    ].map(inRange),
  ).toEqual([true, true, true]);
  expect([['users', 'adam'], ['users', 'ada-2'], ['users'], ['users', 'ad']].map(inRange)).not.toContain(
    true,
  );
  expect(namespaceRange([])).toBeUndefined();
});

test.each([
  [[], 400, 'empty'],
  [['a', ''], 422, 'empty'],
  [['a', 'b.c'], 422, 'period'],
  [['a', 7], 422, 'not a string'],
  [['langgraph', 'x'], 422, 'langgraph'],
  [['x'.repeat(2_000)], 422, 'bytes'],
])('an item cannot be written to %j', (namespace, status, why) => {
  expect(() => checkItemName(namespace, 'k')).toThrow(
    expect.objectContaining({ status, message: expect.stringContaining(why) }),
  );
});

test('langgraph is refused as first label only, and only for writes', () => {
  expect(() => checkItemName(['a', 'langgraph'], 'k')).not.toThrow();
  expect(() => checkLabels(['langgraph'])).not.toThrow();
});

test('a pattern is needed only for wildcards and suffixes, and treats labels literally', () => {
  expect(namespacePattern({ type: 'prefix', path: ['a', 'b'] })).toBeUndefined();
  expect(namespacePattern({ type: 'suffix', path: [] })).toBeUndefined();
  const pattern = new RegExp(namespacePattern({ type: 'prefix', path: ['a+', '*', '(b|'] })!);
  expect(pattern.test('a+.x.(b|.')).toBe(true);
  expect(pattern.test('aa.x.(b|.')).toBe(false);
  expect(pattern.test('a+.x.y.(b|.')).toBe(false);
});

test('stored JSON has no NUL or unpaired surrogates, and keeps everything else', () => {
  const value = {
    'k\0': 'a\0b',
    half: '\ud800x',
    other: '\udc00',
    whole: '\u{1F600}',
    text: 'say \\u0000',
    slash: '\\',
  };
  expect(JSON.parse(storedJson(value))).toEqual({
    'k\uFFFD': 'a\uFFFDb',
    half: '\uFFFDx',
    other: '\uFFFD',
    whole: '\u{1F600}',
    text: 'say \\u0000',
    slash: '\\',
  });
});
