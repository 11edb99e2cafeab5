import { expect, test } from '@jest/globals';
import { parseFilter } from '../../src/agent-server/auth/filter-parser.ts';
import { passesFilter } from '../../src/platform/db/row-filter.ts';
import type { JsonObject } from '../../src/platform/schema.ts';
import { Where } from '../../src/platform/db/where.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

const passes = async (metadata: object, filter: Record<string, unknown>): Promise<boolean> => {
  const where = new Where();
  const expression = where.passes('metadata', parseFilter(filter));
  const text = `select ${expression} as passes from (select ${where.bind(JSON.stringify(metadata))}::jsonb as metadata) row`;
  const { rows } = await database.db.query<{ passes: boolean }>(text, where.values);
  return rows[0]!.passes;
};

test.each<[object, Record<string, unknown>, boolean]>([
  [{ owner: 'a' }, { owner: 'a' }, true],
  [{ owner: 'a', other: 1 }, { owner: { $eq: 'a' } }, true],
  [{ owner: 'b' }, { owner: 'a' }, false],
  [{}, { owner: 'a' }, false],
  [{ owner: ['a'] }, { owner: 'a' }, false],
  [{ owner: { is: 'a', not: 'b' } }, { owner: { $eq: { is: 'a' } } }, false],
  [{ owner: { is: 'a' } }, { owner: { $eq: { is: 'a' } } }, true],
  [{}, { owner: null }, false],
  [{ owner: null }, { owner: null }, true],
  [{ level: 1 }, { level: 1 }, true],
  [{ level: '1' }, { level: 1 }, false],
  [{ tags: ['x', 'y'] }, { tags: { $contains: 'x' } }, true],
  [{ tags: ['x', 'y'] }, { tags: { $contains: ['y', 'x'] } }, true],
  [{ tags: ['x'] }, { tags: { $contains: ['x', 'y'] } }, false],
  [{ tags: [1, 2] }, { tags: { $contains: 1 } }, true],
  [{ tags: 'x' }, { tags: { $contains: 'x' } }, false],
  [{}, { tags: { $contains: 'x' } }, false],
  [{ owner: 'a' }, { $or: [{ owner: 'b' }, { owner: 'a' }] }, true],
  [{ owner: 'c' }, { $or: [{ owner: 'b' }, { owner: 'a' }] }, false],
  [{ owner: 'a', team: 't' }, { $and: [{ owner: 'a' }, { team: 't' }] }, true],
  [{ owner: 'a', team: 'u' }, { $and: [{ owner: 'a' }, { team: 't' }] }, false],
  [
    { owner: 'x', team: 't', public: true },
    { $or: [{ owner: 'a' }, { $and: [{ team: 't' }, { public: true }] }] },
    true,
  ],
  [{ "o'w": 'a' }, { "o'w": 'a' }, true],
  [{ owner: 'a' }, {}, true],
])('%j passes %j: %s', async (metadata, filter, expected) => {
  expect(await passes(metadata, filter)).toBe(expected);
  expect(passesFilter(metadata as JsonObject, parseFilter(filter))).toBe(expected);
});
