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

test('100 crons a minute, workers killed while they fire: each time of each cron is one run', async () => {
  const api = await cluster.start({ role: 'api' });
  const workers: AgentServer[] = [
    await cluster.start({ role: 'worker' }),
    await cluster.start({ role: 'worker' }),
  ];
  const client = clientOf(api);
  const left = MINUTE - (Date.now() % MINUTE);
  if (left < 20_000) await pause(left + 500);
  const crons = await Promise.all(
    Array.from({ length: CRONS }, () =>
      client.crons.create('echo', { schedule: '* * * * *', input: { text: 'tick' }, onRunCompleted: 'keep' }),
    ),
  );
  const [first, ...others] = [...new Set(crons.map(({ next_run_date }) => Date.parse(next_run_date)))];
  expect(others).toEqual([]);
  const slots = Array.from({ length: SLOTS }, (_, index) => first! + index * MINUTE);

  for (const [index, slot] of slots.entries()) {
    await pause(slot - Date.now());
    if (index === SLOTS - 1) break;
    // In the middle of what the minute starts, then again while it is made up for.
    for (const ms of [150, 700]) {
      await pause(ms);
      await workers.shift()!.end('SIGKILL');
      workers.push(await cluster.start({ role: 'worker' }));
    }
  }
  const firedAt = async (slot: number) => {
    const { rows } = await cluster.db.query<{ count: number }>(
      'select count(*)::int as count from cron_firing where slot = $1',
      [new Date(slot)],
    );
    return rows[0]!.count;
  };
  await until('the last time is dealt with', async () => (await firedAt(slots.at(-1)!)) === CRONS);
  await Promise.all(crons.map(({ cron_id }) => client.crons.update(cron_id, { enabled: false })));
  await until('every run has its outcome', async () => {
    const { rows } = await cluster.db.query(`select from run where status in ('pending', 'running')`);
    return rows.length === 0;
  });

  for (const slot of slots) expect(await firedAt(slot)).toBe(CRONS);
  const { rows } = await cluster.db.query<{ runs: number; fired: number; statuses: string[] }>(
    `select count(*)::int as runs, (select count(*)::int from cron_firing) as fired,
       array_agg(distinct status) as statuses from run`,
  );
  expect(rows).toEqual([{ runs: CRONS * SLOTS, fired: CRONS * SLOTS, statuses: ['success'] }]);
}, 360_000);
