import { expect, test } from '@jest/globals';
import { breachOf } from '../../src/control-plane/canaries/canary-verdict.ts';

const GUARD = { window_seconds: 300, minimum: 20, margin: 5 };
const runs = (failed: number, all: number) => ({
  revision_id: '',
  requests: 0,
  failed: 0,
  latency: [],
  runs: all,
  failed_runs: failed,
});

test.each([
  ['a failing canary', [20, 20], [0, 400], true],
  ['a failing canary that gets all traffic', [20, 20], [0, 0], true],
  ['five failures of twenty', [5, 20], [0, 400], true],
  ['two failures of twenty, which may be chance', [2, 20], [0, 400], false],
  ['the same rate over more runs', [60, 600], [0, 400], true],
  ['a flood of failures on both', [14, 20], [190, 400], false],
  ['too few runs', [19, 19], [0, 400], false],
  ['a healthy canary', [0, 600], [0, 400], false],
] as const)('%s', (_what, canary, serving, isBroken) => {
  const figures = [runs(canary[0], canary[1]), runs(serving[0], serving[1])] as const;
  expect(breachOf(GUARD, ...figures) !== null).toBe(isBroken);
});
