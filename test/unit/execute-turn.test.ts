import { expect, test } from '@jest/globals';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { CONTINUES_MS, executeTurn, type TurnOptions } from '../../activities/runs/execute-turn.ts';
import { RunningRuns } from '../../src/agent-server/runs/running-runs.ts';

/** Runs that are claimed although none of them exists any more. */
async function claimed(more: Partial<TurnOptions> = {}, prepare = (_running: RunningRuns) => {}) {
  const asked: unknown[] = [];
  const running = new RunningRuns({ subscribe: () => ({ close() {} }) } as never, 'queue');
  prepare(running);
  const client = {
    connection: { stream: { cork() {}, uncork() {} } },
    async query(statement: { name?: string; values?: unknown[] }) {
      if (statement.name === 'claim-run') asked.push(statement.values![0]);
      return { rows: [] };
    },
    release() {},
  };
  const db = { connect: async () => client };
  const { settled } = await executeTurn({ db, running } as unknown as AgentDeps, {
    runs: ['1', '2', '3'].map((run_id) => ({ run_id, timeout_ms: 1_000 })),
    turn: 1,
    signal: new AbortController().signal,
    continuesMs: CONTINUES_MS,
    report: async () => {},
    ...more,
  });
  expect(settled).toEqual(['1']);
  return asked;
}

test('a later run that cannot be started ends the turn', async () => {
  expect(await claimed()).toEqual(['1', '2']);
});

test('only the first run starts if the turn has no time left, is stopped, or its process is leaving', async () => {
  expect(await claimed({ continuesMs: 0 })).toEqual(['1']);
  expect(await claimed({ signal: AbortSignal.abort() })).toEqual(['1']);
  expect(await claimed({}, (running) => running.leave())).toEqual(['1']);
});
