import { expect, test } from '@jest/globals';
import pino from 'pino';
import { Notifications } from '../../src/platform/db/notifications.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

test('after a lost connection, subscribers are first notified of the loss', async () => {
  const notifications = new Notifications({ connectionString: database.url }, pino({ level: 'silent' }));
  await notifications.open();
  const heard: (number | 'reset')[] = [];
  const listener = {
    onPayload: (payload: string) => void heard.push(Number(payload)),
    onReset: () => void heard.push('reset'),
  };
  const first = notifications.subscribe('first', listener);
  // Channels added later are listened to once the connection is back.
  const others = Array.from({ length: 50 }, (_, number) =>
    notifications.subscribe(`other${number}`, { onPayload() {}, onReset() {} }),
  );
  await Promise.all([first, ...others].map(({ ready }) => ready));

  const over = new AbortController();
  const telling = (async () => {
    for (let number = 1; !over.signal.aborted; number++)
      await database.db.query(`select pg_notify('first', $1)`, [String(number)]);
  })();
  await until('notifications arrive', () => heard.length > 10);
  await database.db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'slipway-listen' and datname = current_database()`,
  );
  await until(
    'notifications arrive again',
    () => heard.includes('reset') && typeof heard.at(-1) === 'number',
  );
  over.abort();
  await telling;
  await notifications.close();

  // Numbers may be missing only right before a reset.
  const unannounced = heard.filter((one, place) => {
    const before = heard[place - 1];
    return typeof one === 'number' && typeof before === 'number' && one !== before + 1;
  });
  expect(unannounced).toEqual([]);
  expect(heard.filter((one) => one === 'reset')).toHaveLength(1);
});
