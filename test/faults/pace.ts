import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import type { Database } from '../../src/platform/db/database.ts';

const TICK_MS = 25;

export interface Pace {
  /** Ms between two moments, in ticks: fewer than on the clock if the machine was overloaded. */
  between(from: number, to: number): number;
  stop(): Promise<void>;
}

/**
 * A clock that slows down with the machine: it ticks once the interval is over and Postgres and Temporal have
 * answered. Time limits are measured by it, so that a pause of one process does not count against the others.
 */
export async function startPace(db: Database): Promise<Pace> {
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const ticks: number[] = [];
  const stopping = new AbortController();
  const ticking = (async () => {
    while (!stopping.signal.aborted) {
      const answers = [db.query('select'), connection.workflowService.getSystemInfo({})];
      await Promise.all([delay(TICK_MS), ...answers]);
      ticks.push(Date.now());
    }
  })();
  return {
    between: (from, to) => ticks.filter((at) => at > from && at <= to).length * TICK_MS,
    async stop() {
      stopping.abort();
      await ticking;
      await connection.close();
    },
  };
}
