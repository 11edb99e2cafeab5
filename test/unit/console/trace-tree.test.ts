import { expect, test } from '@jest/globals';
import type { RunRow } from '../../../console/src/api/tracing-records.ts';
import { compareValues, differingPart } from '../../../console/src/pages/traces/compare-values.ts';
import { readTrace, shownSpans } from '../../../console/src/pages/traces/trace-tree.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

const run = (id: string, parent: string | null, from: number, until: number | null): RunRow =>
  ({
    id,
    parent_run_id: parent,
    name: `run ${id}`,
    run_type: 'chain',
    status: until === null ? 'pending' : 'success',
    // By start time, like dotted orders.
    dotted_order: `${parent === null ? '' : 'a.'}${from}`,
    start_time: new Date(START + from).toISOString(),
    end_time: until === null ? null : new Date(START + until).toISOString(),
  }) as RunRow;

const ids = (spans: { run: RunRow }[]): string[] => spans.map(({ run: { id } }) => id);

test('runs are placed in any order of arrival; unfinished ones last as long as the trace', () => {
  const trace = readTrace([
    run('c', 'a', 30, null),
    run('b', 'a', 10, 20),
    run('a', null, 0, 90),
    run('lost', 'nobody', 40, 50),
  ]);
  expect(ids(trace.roots)).toEqual(['a', 'lost']);
  expect(ids(trace.roots[0]!.children)).toEqual(['b', 'c']);
  expect(trace.duration).toBe(90);
  expect(trace.byId.get('c')).toMatchObject({ depth: 1, start: 30, end: 90, place: 2 });
});

test('hides the children of collapsed runs; a search shows matches and their parents', () => {
  const trace = readTrace([run('a', null, 0, 9), run('b', 'a', 1, 2), run('c', 'a', 3, 4)]);
  expect(ids(shownSpans(trace, new Set(), ''))).toEqual(['a', 'b', 'c']);
  expect(ids(shownSpans(trace, new Set(['a']), ''))).toEqual(['a']);
  expect(ids(shownSpans(trace, new Set(['a']), 'RUN C'))).toEqual(['a', 'c']);
  expect(shownSpans(trace, new Set(), 'nothing like this')).toEqual([]);
});

test('two values are compared leaf by leaf', () => {
  expect(
    compareValues({ a: 1, b: { c: ['x', 'y'] }, d: null }, { a: 1, b: { c: ['x', 'z'] }, e: {} }),
  ).toEqual([
    { path: 'a', left: '1', right: '1', change: 'same' },
    { path: 'b.c.0', left: 'x', right: 'x', change: 'same' },
    { path: 'b.c.1', left: 'y', right: 'z', change: 'changed' },
    { path: 'd', left: 'null', right: undefined, change: 'left' },
    { path: 'e', left: undefined, right: '{}', change: 'right' },
  ]);
  expect(compareValues('one', 'two')).toMatchObject([{ path: '', change: 'changed' }]);
});

test('a text diff is the part between the common prefix and suffix', () => {
  expect(differingPart('order 49 is here', 'order 1 is here')).toEqual([
    ['order ', '49', ' is here'],
    ['order ', '1', ' is here'],
  ]);
  expect(differingPart('aa', 'aaa')).toEqual([
    ['aa', '', ''],
    ['aa', 'a', ''],
  ]);
});
