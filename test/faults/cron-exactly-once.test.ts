import { expect, test } from '@jest/globals';
import type { AgentServer } from '../support/agent-server.ts';
import { clientOf, useCluster } from './cluster.ts';
import { until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';

const cluster = useCluster();
const MINUTE = 60_000;
const CRONS = 100;
const SLOTS = isWhole ? 3 : 2;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

test('100 crons per minute with workers killed while they fire: one run per cron and time', async () => {
  const api = await cluster.start({ role: 'api' });
  // Both kills may hit the same run, and on a slow machine a worker may only seem dead.
  const worker = { role: 'worker', env: { SLIPWAY_RUN_ATTEMPTS: '20' } } as const;
  const workers: AgentServer[] = [await cluster.start(worker), await cluster.start(worker)];
  const client = clientOf(api);
  const crons = await Promise.all(
    Array.from({ length: CRONS }, () =>
      client.crons.create('echo', { schedule: '* * * * *', input: { text: 'tick' }, onRunCompleted: 'keep' }),
    ),
  );
  // Crons created after that minute start with the next one.
  const begins = crons.map(({ next_run_date }) => Date.parse(next_run_date));
  const first = Math.max(...begins);
  const slots = Array.from({ length: SLOTS }, (_, index) => first + index * MINUTE);

  for (const [index, slot] of slots.entries()) {
    await pause(slot - Date.now());
    if (index === SLOTS - 1) break;
    // While the minute's runs start, then again during recovery.
    for (const ms of [150, 700]) {
      await pause(ms);
      await workers.shift()!.end('SIGKILL');
      workers.push(await cluster.start(worker));
    }
  }
  const firedAt = async (slot: number) => {
    const { rows } = await cluster.db.query<{ count: number }>(
      'select count(*)::int as count from cron_firing where slot = $1',
      [new Date(slot)],
    );
    return rows[0]!.count;
  };
  const isOver = async () => {
    const { rows } = await cluster.db.query<{ count: number }>(
      'select count(distinct cron_id)::int as count from cron_firing where slot >= $1',
      [new Date(slots.at(-1)!)],
    );
    return rows[0]!.count === CRONS;
  };
  await until('the last time is dealt with', isOver, 240_000);
  await Promise.all(crons.map(({ cron_id }) => client.crons.update(cron_id, { enabled: false })));
  await until('every run has its outcome', async () => {
    const { rows } = await cluster.db.query(`select from run where status in ('pending', 'running')`);
    return rows.length === 0;
  });

  // A time missed for a whole minute merges with the next; possible only on a machine that is slow for all crons.
  const { rows: late } = await cluster.db.query<{ ms: number }>(
    `select max(extract(epoch from fired_at - slot))::float8 * 1000 as ms from cron_firing`,
  );
  const missing = late[0]!.ms < MINUTE / 2 ? 0 : CRONS;
  for (const slot of slots) expect(CRONS - (await firedAt(slot))).toBeLessThanOrEqual(missing);
  const { rows } = await cluster.db.query<{ runs: number; fired: number; statuses: string[] }>(
    `select count(*)::int as runs, (select count(*)::int from cron_firing) as fired,
       array_agg(distinct status) as statuses from run`,
  );
  const { fired } = rows[0]!;
  expect(rows).toEqual([{ runs: fired, fired, statuses: ['success'] }]);
}, 600_000);
