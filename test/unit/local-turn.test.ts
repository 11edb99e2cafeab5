import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { executeLocally } from '../../activities/runs/local-turn.ts';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { type AttemptEnd, RunningRuns } from '../../src/agent-server/runs/running-runs.ts';

const INPUT = { run_id: '1', timeout_ms: 1_000, turn: 7, task_queue: 'mine', local_ms: 20 };

/** A process of the revision `mine` with room for one run; no run can be claimed. `claims` counts attempts to. */
function agent() {
  let claims = 0;
  const running = new RunningRuns({ subscribe: () => ({ close() {} }) } as never, 'process');
  const client = {
    connection: { stream: { cork() {}, uncork() {} } },
    query: async ({ name }: { name?: string }) => {
      if (name === 'claim-run') claims++;
      return { rows: [] };
    },
    release() {},
  };
  const deps = {
    running,
    db: { connect: async () => client },
    threads: { runQueue: 'mine' },
    config: { SLIPWAY_CONCURRENCY: 2 },
  } as unknown as AgentDeps;
  const locally = (input: Partial<typeof INPUT> = {}) =>
    executeLocally(deps, { ...INPUT, ...input }, new AbortController().signal);
  const hold = (runId: string, work: (signal: AbortSignal) => Promise<AttemptEnd>) =>
    running.hold(runId, 1, work);
  return { running, locally, hold, claims: () => claims };
}

const forever = () => new Promise<AttemptEnd>(() => {});

test('a run that has ended, or that another process has started, is declined', async () => {
  const { locally, claims } = agent();
  expect([await locally(), claims()]).toEqual(['declined', 1]);
});

test('runs of another revision, and those there is no room for, are declined', async () => {
  const { locally, hold, running, claims } = agent();
  expect([await locally({ task_queue: 'other' }), claims()]).toEqual(['declined', 0]);
  void hold('2', forever);
  expect([await locally(), claims()]).toEqual(['declined', 1]);
  void hold('3', forever);
  expect([await locally(), claims()]).toEqual(['declined', 1]);
  const { locally: leaving, running: left } = agent();
  left.leave();
  expect(await leaving()).toBe('declined');
  expect(running.isLeaving).toBe(false);
});

test('a longer run continues, and its process is returned', async () => {
  const { locally, hold } = agent();
  void hold('1', forever);
  expect(await locally()).toEqual({ turn: 7, settled: [], current: '1', process_queue: 'process' });
});

test('stopping the activity that joins a run stops the run', async () => {
  const { running, hold } = agent();
  const reasons: unknown[] = [];
  const done = hold('1', async (signal) => {
    await sleep(5_000, undefined, { signal }).catch(() => reasons.push(signal.reason));
    return 'stopped';
  });
  const controller = new AbortController();
  const joined = running.join('1', controller.signal);
  controller.abort('shutdown');
  expect([await joined, await done, reasons]).toEqual(['stopped', 'stopped', ['shutdown']]);
  expect(running.join('1', controller.signal)).toBeUndefined();
});

test('a process that stops hands back the runs that no activity waits for', async () => {
  const { running, hold } = agent();
  const reasons: unknown[] = [];
  void hold('1', async (signal) => {
    await sleep(5_000, undefined, { signal }).catch(() => reasons.push(signal.reason));
    throw new Error('another one continues it');
  }).catch(() => {});
  await running.handBack();
  expect([reasons, running.size]).toEqual([['shutdown'], 0]);
});
