import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { PruneThreadsInput } from '../../workflows/runs/contracts.ts';
import { useTemporal } from '../support/use-temporal.ts';

const temporal = useTemporal();

/** Runs a workflow with stand-ins for its activities. */
async function execute(type: string, args: unknown[], activities: object) {
  const taskQueue = await temporal.startWorker(activities);
  const workflowId = `test/${type}/${randomUUID()}`;
  return temporal.client.workflow.execute(type, { taskQueue, workflowId, args });
}

test('prunes threads in batches, each until it is done', async () => {
  const thread_ids = [...Array(250)].map(() => randomUUID());
  const batches: PruneThreadsInput[] = [];
  let failed = false;
  const pruneBatch = async (batch: PruneThreadsInput) => {
    if (batches.length === 1 && !failed) {
      failed = true;
      throw new Error('database away');
    }
    batches.push(batch);
    return batch.thread_ids.length - 1;
  };
  expect(await execute('pruneThreads', [{ thread_ids, strategy: 'delete' }], { pruneBatch })).toBe(247);
  expect(batches.map((batch) => batch.thread_ids.length)).toEqual([100, 100, 50]);
  expect(batches.flatMap((batch) => batch.thread_ids)).toEqual(thread_ids);
  expect(failed).toBe(true);
});

test('the sweeps report what they did', async () => {
  const limits: number[] = [];
  const expireThreads = async ({ limit }: { limit: number }) => {
    limits.push(limit);
    return { deleted: 2, pruned: 1 };
  };
  expect(await execute('sweepThreads', [{ limit: 7 }], { expireThreads })).toEqual({ deleted: 2, pruned: 1 });
  expect(limits).toEqual([7]);
  expect(await execute('sweepItems', [], { expireItems: async () => ({ items: 3 }) })).toEqual({ items: 3 });
  const crons = { adopted: 0, removed: 1, written: 2, fired: 3 };
  const runs = {
    adoptOrphans: async () => ({ adopted: 1, settled: 0, webhooks: 2 }),
    expireRows: async () => ({ events: 5, threads: 4 }),
    reconcileCrons: async () => crons,
  };
  expect(await execute('sweepRuns', [], runs)).toEqual({
    adopted: 1,
    settled: 0,
    webhooks: 2,
    expired: { events: 5, threads: 4 },
    crons,
  });
});
