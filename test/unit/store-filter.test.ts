import { expect, test } from '@jest/globals';
import { filterConditions } from '../../src/agent-server/store/item-filter.ts';

function compile(filter: Record<string, unknown>) {
  const values: unknown[] = [];
  return { text: filterConditions(filter, (value) => `$${values.push(value)}`).join(' and '), values };
}

test('nothing a client sends becomes part of the SQL', () => {
  const evil = `'); drop table store_item; --`;
  const { text, values } = compile({ [evil]: evil, a: { $gt: evil }, b: { [evil]: { $in: [evil] } } });
  expect(text).not.toContain('drop table');
  expect(values.flat()).toContain(evil);
});

test('an empty filter adds no condition', () => {
  expect(compile({})).toEqual({ text: '', values: [] });
});

test.each([
  [{ a: { $regex: 'x' } }, '$regex'],
  [{ a: { $gt: 1, plain: 2 } }, 'plain'],
  [{ a: { b: { $where: '1' } } }, '$where'],
  [{ a: { $gt: null } }, 'filter.a.$gt must be a number'],
  [{ a: { $lt: [1] } }, 'filter.a.$lt must be a number'],
  [{ a: { $in: 'x' } }, 'must be a list'],
  [Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`k${i}`, i])), 'conditions'],
  [JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`), 'nested'],
])('%j is refused and says why', (filter, why) => {
  expect(() => compile(filter as never)).toThrow(
    expect.objectContaining({ status: 422, message: expect.stringContaining(why) }),
  );
});
