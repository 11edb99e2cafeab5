import { expect, test } from '@jest/globals';
import { headerPicker } from '../../src/agent-server/auth/header-patterns.ts';

const headers = {
  'x-team': 'a',
  'x-team-secret': 's',
  'x-user.id': 'u',
  'x-userXid': 'v',
  authorization: 'Bearer t',
  'x-api-key': 'k',
  'langsmith-trace': 't1',
  baggage: 'b',
  accept: 'a/b',
};

test('by default only tracing headers pass', () => {
  expect(headerPicker()(headers)).toEqual({ 'langsmith-trace': 't1', baggage: 'b' });
  expect(headerPicker({}, { always: [] })(headers)).toEqual({});
});

test('singular and plural keys are equivalent, exclusions win, and dots are literal', () => {
  const expected = { 'x-team': 'a', 'x-user.id': 'u', 'langsmith-trace': 't1', baggage: 'b' };
  expect(headerPicker({ includes: ['X-Team*', 'x-user.id'], excludes: ['*secret'] })(headers)).toEqual(
    expected,
  );
  expect(headerPicker({ include: ['X-Team*', 'x-user.id'], exclude: ['*secret'] })(headers)).toEqual(
    expected,
  );
});

test('credentials never pass', () => {
  const all = headerPicker({ includes: ['*'] })(headers);
  expect(Object.keys(all)).not.toEqual(expect.arrayContaining(['authorization']));
  expect(all).not.toHaveProperty('x-api-key');
  expect(all['accept']).toBe('a/b');
});
