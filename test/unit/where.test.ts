import { expect, test } from '@jest/globals';
import { Where } from '../../src/platform/db/where.ts';

test('values become parameters in order', () => {
  const where = new Where().and`a = ${1} or b = ${'two'}`.and`c`.andContains('metadata', { k: [1] });
  expect(`${where.text} limit ${where.bind(10)}`).toBe(
    'where a = $1 or b = $2 and c and metadata @> $3::jsonb limit $4',
  );
  expect(where.values).toEqual([1, 'two', '{"k":[1]}', 10]);
});

test('undefined adds no condition, an empty list does', () => {
  const where = new Where()
    .andEquals('a', undefined)
    .andAny('b', undefined)
    .andEquals('c', null)
    .andAny('d', []);
  expect(where.text).toBe('where c = $1 and d = any($2)');
});

test('without conditions there is no where clause', () => {
  expect(new Where().andContains('metadata', {}).andContains('metadata', undefined).text).toBe('');
});
