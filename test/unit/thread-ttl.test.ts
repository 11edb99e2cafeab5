import { expect, test } from '@jest/globals';
import { defaultTtl, readTtl } from '../../src/agent-server/threads/thread-ttl.ts';

test('a bare number of minutes means delete, and so does no strategy', () => {
  expect(readTtl(5)).toEqual({ strategy: 'delete', minutes: 5 });
  expect(readTtl({ ttl: 5 })).toEqual({ strategy: 'delete', minutes: 5 });
  expect(readTtl({ ttl: 5, strategy: 'keep_latest' })).toEqual({ strategy: 'keep_latest', minutes: 5 });
  expect(readTtl(undefined)).toBeUndefined();
});

test('the project may set the ttl of threads made without one', () => {
  const graphs = { agent: './agent.ts:graph' };
  expect(defaultTtl({ graphs })).toBeUndefined();
  expect(defaultTtl({ graphs, checkpointer: { ttl: { strategy: 'keep_latest' } } })).toBeUndefined();
  expect(defaultTtl({ graphs, checkpointer: { ttl: { default_ttl: 60 } } })).toEqual({
    strategy: 'delete',
    minutes: 60,
  });
});
