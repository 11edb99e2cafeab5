import { expect, test } from '@jest/globals';
import { boundsOf, checkBounds } from '../../src/control-plane/scaling/scale-bounds.ts';
import {
  decideScale,
  type Load,
  replicasNeeded,
  type ScaleState,
} from '../../src/control-plane/scaling/scale-decision.ts';

const TARGETS = { runs: 10, cpu: 0.75, memory: 0.75, downMs: 1_800_000, sleepMs: 900_000 };
const QUIET: Load = { pending: 0, cores: 0, megabytes: 0, busy: false, idleMs: 0 };
const steady = (replicas: number): ScaleState => ({ replicas, fewer_since: null, fewer_replicas: null });
const MANY = { min: 1, max: 10, serving: 10, queue: 10, cores: 2, megabytes: 1_000 };
const SETTINGS = { SLIPWAY_REPLICAS_LIMIT: 20, SLIPWAY_AGENT_MEMORY_MB: 1_024 };

test.each([
  [{}, { min: 1, max: 1, cores: 1 }],
  [{ deployment_type: 'dev' }, { min: 1, max: 1, cores: 1 }],
  [{ deployment_type: 'prod' }, { min: 1, max: 10, cores: 2 }],
  [{ deployment_type: 'dev_zero' }, { min: 0, max: 1, cores: 1 }],
  [
    { deployment_type: 'prod', resource_spec: { min_scale: 2, max_scale: 4, cpu: 0.5 } },
    { min: 2, max: 4, cores: 0.5 },
  ],
  [{ resource_spec: { min_scale: 3, max_scale: null } }, { min: 3, max: 3, cores: 1 }],
  [{ resource_spec: { min_scale: 30, max_scale: 40 } }, { min: 20, max: 20, cores: 1 }],
])('%j may have so many replicas', (config, bounds) => {
  const { min, max, cores } = boundsOf(config, SETTINGS);
  expect({ min, max, cores }).toEqual(bounds);
});

test.each([
  [{}, { min: 1, max: 4, serving: 4, queue: 4, cores: 1, megabytes: 1_024 }],
  [
    { queue_min_scale: 2, queue_max_scale: 8 },
    { min: 2, max: 8, serving: 4, queue: 8 },
  ],
  [{ queue_max_scale: 2 }, { min: 1, max: 4, serving: 4, queue: 2 }],
  [{ queue_max_scale: 90 }, { max: 20, serving: 4, queue: 20 }],
  [{ cpu: 1, queue_cpu: 2 }, { cores: 2 }],
  [{ memory_mb: 500, queue_memory_limit_mb: 3_000 }, { megabytes: 3_000 }],
])('the queue has what is said of it, else what the rest has: %j', (spec, bounds) => {
  const resource_spec = { min_scale: 1, max_scale: 4, ...spec };
  expect(boundsOf({ resource_spec }, SETTINGS)).toMatchObject(bounds);
});

test.each([
  [{ min_scale: 0 }, 'min_scale'],
  [{ min_scale: 3, max_scale: 2 }, 'min_scale'],
  [{ queue_min_scale: 0 }, 'queue_min_scale'],
  [{ queue_min_scale: 3, queue_max_scale: 2 }, 'queue_min_scale'],
  [{ queue_min_scale: 3, max_scale: 2 }, 'queue_min_scale'],
  [{ min_scale: 3, queue_max_scale: 2 }, 'queue_min_scale'],
])('%j is refused, and where it is wrong is said', (resource_spec, key) => {
  const fault = { loc: ['body', 'source_config', 'resource_spec', key], type: 'value_error' };
  expect(() => checkBounds({ deployment_type: 'prod', resource_spec })).toThrow(
    expect.objectContaining({ detail: [expect.objectContaining(fault)] }),
  );
});

test('only types that may sleep can have zero replicas, and the minimum is at most the maximum', () => {
  const spec = (min_scale: number, max_scale: number) => ({ resource_spec: { min_scale, max_scale } });
  expect(() => checkBounds({ deployment_type: 'dev_zero', ...spec(0, 1) })).not.toThrow();
  expect(() => checkBounds(spec(0, 1))).toThrow();
  expect(() => checkBounds(spec(3, 2))).toThrow();
});

test.each([
  ['nothing to do', { pending: 0, cores: 0 }, 1],
  ['a few runs', { pending: 10, cores: 0 }, 1],
  ['one run more than a replica deals with', { pending: 11, cores: 0 }, 2],
  ['busy processors', { pending: 0, cores: 3.2 }, 3],
  ['the larger answer', { pending: 45, cores: 3.2 }, 5],
  ['memory that is nearly full', { pending: 0, cores: 0, megabytes: 1_600 }, 3],
  ['nobody measures', { pending: 0, cores: null, megabytes: null }, 1],
  ['more than there may be', { pending: 1_000, cores: 0 }, 10],
])('%s', (_, load, replicas) => {
  expect(replicasNeeded({ megabytes: 0, ...load }, MANY, TARGETS)).toBe(replicas);
});

test('runs scale the queue, and requests the rest, within limits', () => {
  const bounds = { ...MANY, serving: 2, queue: 4, max: 4 };
  const needed = (pending: number, cores: number) =>
    replicasNeeded({ pending, cores, megabytes: 0 }, bounds, TARGETS);
  expect([needed(1_000, 0), needed(0, 100), needed(25, 100)]).toEqual([4, 2, 3]);
});

test('scales up immediately, and down only after a delay, to the peak of that time', () => {
  let state = decideScale(steady(1), { ...QUIET, pending: 60 }, MANY, TARGETS, 0);
  expect(state.replicas).toBe(6);
  state = decideScale(state, QUIET, MANY, TARGETS, 1_000);
  expect(state).toEqual({ replicas: 6, fewer_since: 1_000, fewer_replicas: 1 });
  state = decideScale(state, { ...QUIET, pending: 30 }, MANY, TARGETS, 900_000);
  expect(state).toEqual({ replicas: 6, fewer_since: 1_000, fewer_replicas: 3 });
  state = decideScale(state, QUIET, MANY, TARGETS, 1_801_000);
  expect(state).toEqual(steady(3));
});

test('a burst restarts the delay', () => {
  const waiting = { replicas: 2, fewer_since: 0, fewer_replicas: 1 };
  expect(decideScale(waiting, { ...QUIET, pending: 20 }, MANY, TARGETS, 1_799_000)).toEqual(steady(2));
});

test('replicas above the maximum are removed immediately', () => {
  expect(decideScale(steady(8), QUIET, { ...MANY, max: 4 }, TARGETS, 0).replicas).toBe(4);
});

test('sleeps if allowed, idle long enough, and nothing is in progress', () => {
  const idle = { ...QUIET, idleMs: 900_000 };
  const sleepy = { ...MANY, min: 0, max: 1 };
  expect(decideScale(steady(1), idle, sleepy, TARGETS, 0)).toEqual(steady(0));
  expect(decideScale(steady(1), { ...idle, idleMs: 899_000 }, sleepy, TARGETS, 0).replicas).toBe(1);
  expect(decideScale(steady(1), { ...idle, busy: true }, sleepy, TARGETS, 0).replicas).toBe(1);
  expect(decideScale(steady(1), idle, MANY, TARGETS, 0).replicas).toBe(1);
  expect(decideScale(steady(0), { ...idle, idleMs: 0 }, sleepy, TARGETS, 0).replicas).toBe(0);
});
