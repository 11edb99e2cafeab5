import { expect, test } from '@jest/globals';
import { parseFilter } from '../../src/agent-server/auth/filter-parser.ts';

test('equality, $eq and $contains', () => {
  expect(
    parseFilter({ owner: 'a', team: { $eq: 'b' }, tags: { $contains: 'x' }, ids: { $contains: [1, 'y'] } }),
  ).toEqual({
    all: [
      { key: 'owner', equals: 'a' },
      { key: 'team', equals: 'b' },
      { key: 'tags', contains: ['x'] },
      { key: 'ids', contains: ['1', 'y'] },
    ],
  });
});

test('$and and $or, nested twice', () => {
  expect(parseFilter({ $or: [{ owner: 'a' }, { $and: [{ team: 'b' }, { public: true }] }] })).toEqual({
    all: [
      {
        any: [
          { all: [{ key: 'owner', equals: 'a' }] },
          {
            all: [
              { key: 'team', equals: 'b' },
              { key: 'public', equals: true },
            ],
          },
        ],
      },
    ],
  });
});

test.each<[Record<string, unknown>]>([
  [{ $or: [{ a: 1 }] }],
  [{ $and: [] }],
  [{ $or: { a: 1 } }],
  [{ $or: [{ a: 1 }, 'b'] }],
  [{ $not: [{ a: 1 }, { b: 1 }] }],
  [{ owner: { $ne: 'a' } }],
  [{ owner: {} }],
  [{ owner: { $eq: 'a', $contains: 'b' } }],
  [{ owner: undefined }],
  [{ owner: { $eq: undefined } }],
  [{ tags: { $contains: { a: 1 } } }],
  [{ $or: [{ a: 1 }, { $or: [{ b: 1 }, { $or: [{ c: 1 }, { d: 1 }] }] }] }],
])('%j is no filter', (filter) => {
  expect(() => parseFilter(filter)).toThrow('Authorization filter');
});
