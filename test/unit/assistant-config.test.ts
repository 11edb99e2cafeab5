import { expect, test } from '@jest/globals';
import { settle } from '../../src/agent-server/assistants/assistant-config.ts';

const before = { config: { tags: ['t'], configurable: { model: 'small' } }, context: { model: 'small' } };

test('nothing given is empty, and on a patch what there was', () => {
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

test('a context alone leaves the rest of the configuration', () => {
  expect(settle({ context: { a: 1 } }, before)).toEqual({
    config: { tags: ['t'], configurable: { a: 1 } },
    context: { a: 1 },
  });
  expect(settle({ context: {} }, before)).toEqual({ config: { tags: ['t'] }, context: {} });
});

test('a configuration replaces all of what there was', () => {
  expect(settle({ config: { recursion_limit: 5 } }, before)).toEqual({
    config: { recursion_limit: 5 },
    context: {},
  });
});

test('keys of the server are taken off silently, and only then are both refused', () => {
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
