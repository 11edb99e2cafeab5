import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/platform/db/database.ts';
import { useApi } from '../support/use-api.ts';
import { until } from '../support/until.ts';

const KEPT_SECONDS = 3_600;
const api = useApi({
  env: { SLIPWAY_EVENT_RETENTION_SECONDS: String(KEPT_SECONDS), SLIPWAY_SWEEP_SECONDS: '1' },
});

/** Ages everything that ended runs left behind. */
async function age(seconds: number): Promise<void> {
  const db = openDatabase({ url: api.databaseUrl, poolSize: 1 });
  await db.query('update run set ended_at = ended_at - make_interval(secs => $1)', [seconds]);
  await db.query('update run_event set ms = ms - $1::bigint', [seconds * 1_000]);
  await db.query('update thread set expires_at = expires_at - make_interval(secs => $1)', [seconds]);
  await db.end();
}

test('events of an ended run are kept for a while, then deleted; the run stays', async () => {
  const { thread_id } = (await api.post('/threads', {})).json;
  const body = { assistant_id: 'echo', input: { text: 'x' }, stream_resumable: true };
  const { headers, text } = await api.post(`/threads/${thread_id}/runs/stream`, body);
  const again = async () => (await api.get(headers.get('location')!, { 'last-event-id': '-1' })).text;
  expect(await again()).toBe(text);
  await age(KEPT_SECONDS);
  await until('it is let go', async () => (await again()) === '');
  expect((await api.get(headers.get('content-location')!)).json.status).toBe('success');
});

test("a threadless run's hidden thread is deleted too", async () => {
  const { headers } = await api.post('/runs/wait', { assistant_id: 'echo', input: { text: 'x' } });
  const join = headers.get('location')!;
  expect((await api.get(join)).status).toBe(200);
  await age(KEPT_SECONDS);
  await until('it is let go', async () => (await api.get(join)).status === 404);
});
