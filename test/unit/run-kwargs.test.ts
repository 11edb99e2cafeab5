import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ANYONE } from '../../src/agent-server/caller.ts';
import { resolveRun, type RunOrigin } from '../../src/agent-server/runs/run-kwargs.ts';
import type { RunCreate } from '../../src/agent-server/records/run.ts';

const origin: RunOrigin = {
  run_id: 'r',
  thread_id: 't',
  request_id: 'q',
  caller: ANYONE,
  temporary: false,
  assistant: {
    assistant_id: 'a',
    graph_id: 'g',
    config: { tags: ['base'], recursion_limit: 5, configurable: { model: 'small', keep: 1 } },
    context: { model: 'small', keep: 1 },
    metadata: { team: 'a', created_by: 'system' },
  },
  thread: { config: {}, metadata: { team: 'b' } },
};
const create = (fields: Partial<RunCreate>): RunCreate => ({
  assistant_id: 'g',
  multitask_strategy: 'enqueue',
  ...fields,
});

test('configuration merges assistant, thread and request, in this order', () => {
  const { kwargs, metadata } = resolveRun(
    create({
      config: { tags: ['mine'], configurable: { model: 'large' } },
      metadata: { team: 'c', run_id: 'forged' },
    }),
    origin,
  );
  expect(kwargs.config).toMatchObject({ tags: ['base', 'mine'], recursion_limit: 5 });
  expect(kwargs.config.configurable).toMatchObject({ model: 'large', keep: 1, run_id: 'r', graph_id: 'g' });
  expect(kwargs.context).toEqual({ model: 'large', keep: 1 });
  expect(metadata).toEqual({ team: 'c', assistant_id: 'a', graph_id: 'g' });
});

test("metadata has this run's graph, not the thread's previous one", () => {
  const moved = { ...origin, thread: { config: {}, metadata: { graph_id: 'other' } } };
  expect(resolveRun(create({}), moved).metadata).toMatchObject({ graph_id: 'g' });
});

test('configurable and context mirror each other; giving both is refused', () => {
  expect(resolveRun(create({ context: { x: 1 } }), origin).kwargs.config.configurable).toMatchObject({
    x: 1,
  });
  expect(() => resolveRun(create({ context: { x: 1 }, config: { configurable: { y: 1 } } }), origin)).toThrow(
    'Cannot specify both configurable and context',
  );
});

test.each([
  ['configurable', { config: { configurable: { user_id: 'mine' } } }],
  ['context', { context: { user_id: 'mine' } }],
])('a user_id in %s is kept as long as no authenticated user has one', (_where, given) => {
  const idOf = (caller: RunOrigin['caller']) =>
    resolveRun(create(given), { ...origin, caller }).kwargs.config.configurable['user_id'];
  const user = { identity: 'ada', display_name: 'Ada', is_authenticated: true, permissions: [] };
  expect(idOf({ configurable: {} })).toBe('mine');
  expect(idOf({ configurable: {}, user })).toBe('ada');
});

test('server keys are dropped from requests', () => {
  const { kwargs } = resolveRun(
    create({ config: { configurable: { langgraph_auth_user: 'root', __pregel_x: 1, ok: 1 } } }),
    origin,
  );
  expect(kwargs.config.configurable).not.toHaveProperty('langgraph_auth_user');
  expect(kwargs.config.configurable).not.toHaveProperty('__pregel_x');
  expect(kwargs.config.configurable).toMatchObject({ ok: 1 });
});

test.each([
  [{}, 'async', true],
  [{ durability: 'sync' as const }, 'sync', true],
  [{ checkpoint_during: false }, 'exit', false],
])('durability of %j is %s', (fields, durability, checkpoint_during) => {
  expect(resolveRun(create(fields), origin).kwargs).toMatchObject({ durability, checkpoint_during });
});

test('missing input is null, to continue from the checkpoint', () => {
  const checkpoint_id = randomUUID();
  const { kwargs } = resolveRun(create({ checkpoint_id }), origin);
  expect(kwargs.input).toBeNull();
  expect(kwargs.config.configurable['checkpoint_id']).toBe(checkpoint_id);
});
