import { expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { until } from '../support/until.ts';

const api = useApi({ env: { SLIPWAY_EVENT_RETENTION_SECONDS: '1', SLIPWAY_SWEEP_SECONDS: '1' } });

test('what an ended run said is kept for a while, then let go; the run stays', async () => {
  const { thread_id } = (await api.post('/threads', {})).json;
  const body = { assistant_id: 'echo', input: { text: 'x' }, stream_resumable: true };
  const { headers, text } = await api.post(`/threads/${thread_id}/runs/stream`, body);
  const again = async () => (await api.get(headers.get('location')!, { 'last-event-id': '-1' })).text;
  expect(await again()).toBe(text);
  await until('it is let go', async () => (await again()) === '');
  expect((await api.get(headers.get('content-location')!)).json.status).toBe('success');
});

test('the thread of a run without one goes as well', async () => {
  const { headers } = await api.post('/runs/wait', { assistant_id: 'echo', input: { text: 'x' } });
  const join = headers.get('location')!;
  expect((await api.get(join)).status).toBe(200);
  await until('it is let go', async () => (await api.get(join)).status === 404);
});
