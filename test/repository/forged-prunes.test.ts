import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createMaintenanceActivities } from '../../activities/runs/maintenance-activities.ts';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { requestPrune } from '../../src/agent-server/records/thread-prune-repository.ts';
import { insertThread } from '../../src/agent-server/records/thread-repository.ts';
import { useDatabase } from '../support/use-database.ts';

// Anything that reaches Temporal can start workflows, so activities check their arguments in Postgres.
const database = useDatabase();

test('threads are pruned only if somebody asked for it, in that way, once', async () => {
  const { db } = database;
  const { pruneBatch } = createMaintenanceActivities({ db } as AgentDeps);
  const thread_ids = [randomUUID(), randomUUID()];
  for (const thread_id of thread_ids) await insertThread(db, { thread_id, metadata: {} });
  const input = { thread_ids, strategy: 'keep_latest' } as const;
  await requestPrune(db, { thread_ids, strategy: 'delete' });
  expect(await pruneBatch(input)).toBe(0);
  await requestPrune(db, { ...input, thread_ids: thread_ids.slice(1) });
  expect([await pruneBatch(input), await pruneBatch(input)]).toEqual([1, 0]);
});
