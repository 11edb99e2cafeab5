import { expect, test } from '@jest/globals';
import { settle } from '../../src/agent-server/assistants/assistant-config.ts';

const before = { config: { tags: ['t'], configurable: { model: 'small' } }, context: { model: 'small' } };

test('defaults are empty, and on a patch the previous values', () => {
  expect(settle({})).toEqual({ config: {}, context: {} });
  expect(settle({}, before)).toBe(before);
});

test('configurable and context mirror each other', () => {
  expect(settle({ context: { a: 1 }, config: { tags: ['x'] } })).toEqual({
    config: { tags: ['x'], configurable: { a: 1 } },
    context: { a: 1 },
  });
  expect(settle({ config: { configurable: { a: 1 } }, context: {} })).toEqual({
    config: { configurable: { a: 1 } },
    context: { a: 1 },
  });
});

test('a context alone keeps the rest of the configuration', () => {
  expect(settle({ context: { a: 1 } }, before)).toEqual({
    config: { tags: ['t'], configurable: { a: 1 } },
    context: { a: 1 },
  });
  expect(settle({ context: {} }, before)).toEqual({ config: { tags: ['t'] }, context: {} });
});

test('a configuration replaces the previous one entirely', () => {
  expect(settle({ config: { recursion_limit: 5 } }, before)).toEqual({
    config: { recursion_limit: 5 },
    context: {},
  });
});

test('server keys are dropped silently, before checking that only one is given', () => {
  expect(
    settle({ context: { a: 1, __own: 2 }, config: { configurable: { langgraph_auth_user: {} } } }),
  ).toEqual({
    config: { configurable: { a: 1 } },
    context: { a: 1 },
  });
  expect(() => settle({ context: { a: 1 }, config: { configurable: { a: 1 } } })).toThrow(
    expect.objectContaining({ status: 422 }),
  );
});
