import { beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { syncSystemAssistants } from '../../src/agent-server/assistants/system-assistants.ts';
import { createAccess } from '../../src/agent-server/auth/access.ts';
import { ANYONE } from '../../src/agent-server/caller.ts';
import { acceptRuns } from '../../src/agent-server/runs/run-batch.ts';
import type { RunCreate } from '../../src/agent-server/records/run.ts';
import { Unavailable } from '../../src/platform/errors.ts';
import { Webhooks } from '../../src/agent-server/webhooks/webhooks.ts';
import { localHosts } from '../support/local-hosts.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
const batch = [...Array(5)].map((): RunCreate => ({ assistant_id: 'echo', multitask_strategy: 'enqueue' }));

beforeEach(async () => {
  await database.db.query('truncate thread cascade');
  await syncSystemAssistants(database.db, [{ graph_id: 'echo' }]);
});

/** Accepts the batch with a queue that takes only some of the runs. */
async function accept(takes: (nth: number) => boolean) {
  let sent = 0;
  const queued: string[] = [];
  const enqueue = async (_thread: string, { run_id }: { run_id: string }) => {
    if (!takes(sent++)) throw new Unavailable('The run queue cannot be reached; try again');
    queued.push(run_id);
  };
  const log = pino({ level: 'silent' });
  const { hosts, description } = await localHosts({ config: { graphs: {} } });
  const deps = {
    db: database.db,
    log,
    config: { SLIPWAY_RUN_TIMEOUT_SECONDS: 60 },
    access: createAccess({ config: { graphs: {} }, description }, hosts, log),
    webhooks: new Webhooks({ config: { graphs: {} }, env: {}, timeoutMs: 1_000 }),
    project: { config: {}, graphs: new Map([['echo', {}]]), require: () => ({}) },
    threads: { runQueue: 'q', enqueue },
  } as unknown as AgentDeps;
  const runs = await acceptRuns(deps, batch, { request_id: 'r', caller: ANYONE });
  return { runs, queued };
}

const pending = async (): Promise<string[]> =>
  (await database.db.query<{ run_id: string }>(`select run_id from run where status = 'pending'`)).rows.map(
    ({ run_id }) => run_id,
  );

test('a batch that Temporal accepts partly is accepted; the sweep queues the rest', async () => {
  const { runs, queued } = await accept((nth) => nth < 2);
  expect(runs).toHaveLength(5);
  expect(queued).toHaveLength(2);
  expect(new Set(await pending())).toEqual(new Set(runs.map(({ run_id }) => run_id)));
});

test('a batch that Temporal rejects leaves nothing behind', async () => {
  await expect(accept(() => false)).rejects.toThrow(Unavailable);
  expect(await pending()).toEqual([]);
  expect((await database.db.query('select from thread')).rows).toEqual([]);
});
