import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import type { Queryable } from '../../src/platform/db/database.ts';
import { Notifications } from '../../src/platform/db/notifications.ts';
import { packEvents, type RunEvent, threadChannel } from '../../src/agent-server/events/event-frame.ts';
import { START } from '../../src/agent-server/events/event-id.ts';
import { storeFenced } from '../../src/agent-server/events/event-repository.ts';
import { followRun } from '../../src/agent-server/runs/run-follower.ts';
import { StatusPoll } from '../../src/agent-server/runs/status-poll.ts';
import { until } from '../support/until.ts';
import { useCheckpoints } from './checkpointer-fixture.ts';

const checkpoints = useCheckpoints();
const log = pino({ level: 'silent' });
let notifications: Notifications;
let poll: StatusPoll;
let isAway = false;
const db: Queryable = {
  query: (text, values) =>
    isAway ? Promise.reject(new Error('Connection terminated')) : checkpoints.db.query(text, values),
};
beforeAll(async () => {
  const { connectionString } = checkpoints.db.options;
  notifications = new Notifications({ connectionString }, log);
  await notifications.open();
  poll = new StatusPoll(db, 60_000, log);
});
afterAll(async () => {
  poll.close();
  await notifications.close();
});

const eventsFrom = (first: number, to: number): RunEvent[] =>
  Array.from({ length: to - first + 1 }, (_, index) => ({
    id: { ms: first + index, seq: 0 },
    event: 'custom',
    data: String(first + index),
  }));

test('events missed during a lost connection come before later ones', async () => {
  const threadId = await checkpoints.newThread();
  const { run_id } = await checkpoints.startRun(threadId);
  const write = (events: RunEvent[], { isHeard }: { isHeard: boolean }) => {
    const { payloads } = packEvents(run_id, events);
    const channel = threadChannel(threadId);
    return storeFenced(
      checkpoints.db,
      { run_id, epoch: 1 },
      threadId,
      events,
      channel,
      isHeard ? payloads : [],
    );
  };
  const seen: string[] = [];
  const follower = followRun({ db, notifications, poll }, threadId, run_id, {
    after: START,
    onEvents: (events) => seen.push(...events.map(({ data }) => data)),
  });
  await follower.ready;
  follower.replay();
  await write(eventsFrom(1, 3), { isHeard: true });
  await until('the first events arrive', async () => seen.length === 3);

  isAway = true;
  await write(eventsFrom(4, 6), { isHeard: false });
  let heard = 0;
  let isBack = false;
  // Receives everything after the follower.
  const other = notifications.subscribe(threadChannel(threadId), {
    onPayload: () => void heard++,
    onReset: () => void (isBack = true),
  });
  await checkpoints.db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'slipway-listen' and datname = current_database()`,
  );
  await until('it listens again', () => isBack);
  await write(eventsFrom(7, 9), { isHeard: true });
  await until('the last events arrive', () => heard > 0);
  other.close();
  expect(seen).toEqual(['1', '2', '3']);
  isAway = false;
  await until('all events arrive', async () => seen.length === 9);
  expect(seen).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  follower.close();
});
