import { expect, test } from '@jest/globals';
import { defaultTtl } from '../../src/agent-server/records/default-ttl.ts';
import { readTtl } from '../../src/agent-server/threads/thread-ttl.ts';

test('a bare number of minutes, and a TTL without a strategy, mean delete', () => {
  expect(readTtl(5)).toEqual({ strategy: 'delete', minutes: 5 });
  expect(readTtl({ ttl: 5 })).toEqual({ strategy: 'delete', minutes: 5 });
  expect(readTtl({ ttl: 5, strategy: 'keep_latest' })).toEqual({ strategy: 'keep_latest', minutes: 5 });
  expect(readTtl(undefined)).toBeUndefined();
});

test('the project can set a default TTL for threads', () => {
  const graphs = { agent: './agent.ts:graph' };
  expect(defaultTtl({ graphs })).toBeUndefined();
  expect(defaultTtl({ graphs, checkpointer: { ttl: { strategy: 'keep_latest' } } })).toBeUndefined();
  expect(defaultTtl({ graphs, checkpointer: { ttl: { default_ttl: 60 } } })).toEqual({
    strategy: 'delete',
    minutes: 60,
  });
});
