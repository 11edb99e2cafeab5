import { expect, test } from '@jest/globals';
import { StatementNames } from '../../src/platform/db/statement-names.ts';

test('a text that repeats gets a name, and keeps it', () => {
  const names = new StatementNames('insert');
  expect([names.of('select 1'), names.of('select 1')]).toEqual([undefined, undefined]);
  const name = names.of('select 1');
  expect(name).toMatch(/^insert-[0-9a-f]{16}$/);
  expect(names.of('select 1')).toBe(name);
  expect(names.of('select 2')).toBeUndefined();
});

test('connections keep a bounded number of statements', () => {
  const names = new StatementNames('insert');
  const texts = Array.from({ length: 100 }, (_, index) => `select ${index}`);
  const named = [...texts, ...texts, ...texts].flatMap((text) => names.of(text) ?? []);
  expect(new Set(named).size).toBe(12);
});
