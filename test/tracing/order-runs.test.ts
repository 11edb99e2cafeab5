import { expect, test } from '@jest/globals';
import type { FoldedRun } from '../../src/tracing/ingest/folded-run.ts';
import { orderRuns } from '../../src/tracing/ingest/order-runs.ts';

const id = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
const START = '2025-01-01T00:00:00.000000Z';
const segment = (n: number) => `20250101T000000000000Z${id(n)}`;
const run = (n: number, position: FoldedRun['position']) => ({
  run: { id: id(n), position } as FoldedRun,
  start_time: START,
});
const ordered = (runs: ReturnType<typeof run>[]) =>
  Object.fromEntries(
    [...orderRuns(runs)].map(([key, { dotted_order }]) => [Number(key.slice(-12)), dotted_order]),
  );

test('orders children that arrive before their parents', () => {
  const trace_id = id(99);
  expect(
    ordered([
      run(3, { trace_id, parent_run_id: id(2) }),
      run(2, { trace_id, parent_run_id: id(1) }),
      run(1, { trace_id }),
      run(5, { trace_id, parent_run_id: id(4) }),
    ]),
  ).toEqual({
    1: segment(1),
    2: `${segment(1)}.${segment(2)}`,
    3: `${segment(1)}.${segment(2)}.${segment(3)}`,
    5: segment(5),
  });
});

test("keeps the client's dotted order and puts children below it", () => {
  const dotted_order = `${segment(7)}.${segment(1)}`;
  expect(
    orderRuns([run(2, { parent_run_id: id(1) }), run(1, { trace_id: id(7), dotted_order })]).get(id(2)),
  ).toEqual({
    trace_id: id(7),
    dotted_order: `${dotted_order}.${segment(2)}`,
  });
});

test('ignores parents in other traces, cycles and self-parents', () => {
  expect(
    ordered([
      run(1, { trace_id: id(8), parent_run_id: id(2) }),
      run(2, { trace_id: id(9) }),
      run(3, { parent_run_id: id(3) }),
    ]),
  ).toEqual({ 1: segment(1), 2: segment(2), 3: segment(3) });
  const circle = ordered([run(1, { parent_run_id: id(2) }), run(2, { parent_run_id: id(1) })]);
  expect(Object.keys(circle)).toHaveLength(2);
});

test('an extremely deep trace costs no more than others', () => {
  const chain = Array.from({ length: 5_000 }, (_, n) =>
    run(n + 1, n === 0 ? {} : { trace_id: id(1), parent_run_id: id(n) }),
  );
  const orders = ordered(chain.toReversed());
  expect(orders[100]).toHaveLength(100 * 59 - 1);
  expect(orders[5_000]).toHaveLength(100 * 59 - 1);
  expect(orders[5_000]).toMatch(new RegExp(`\\.${segment(99)}\\.${segment(5_000)}$`));
});
