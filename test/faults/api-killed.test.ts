import { expect, test } from '@jest/globals';
import { type EventFrame, readFrames } from '../support/event-frames.ts';
import { useHolds } from '../support/holds.ts';
import { until } from '../support/until.ts';
import { clientOf, useCluster } from './cluster.ts';

const cluster = useCluster();
const holds = useHolds();

type Frame = EventFrame<{ index: number; text: string }>;

/** Reads frames until the connection ends or breaks. */
async function readInto(frames: Frame[], response: Response): Promise<void> {
  try {
    for await (const frame of readFrames<Frame['data']>(response)) frames.push(frame);
  } catch {
    // The server was killed.
  }
}

test('a reader whose API is killed repeatedly sees every event exactly once', async () => {
  const worker = await cluster.start({ role: 'worker' });
  let api = await cluster.start({ role: 'api' });
  const { thread_id } = await clientOf(api).threads.create();
  const started = await fetch(`${api.url}/threads/${thread_id}/runs/stream`, {
    method: 'POST',
    body: JSON.stringify({
      assistant_id: 'tokens',
      input: { events: 300, delay_ms: 20 },
      stream_mode: ['custom'],
      stream_resumable: true,
    }),
  });
  const location = started.headers.get('location')!;
  const frames: Frame[] = [];
  let reading = readInto(frames, started);
  for (const some of [40, 120]) {
    await until(`${some} events are read`, () => frames.length >= some);
    await api.end('SIGKILL');
    await reading;
    api = await cluster.start({ role: 'api' });
    const resumed = await fetch(api.url + location, { headers: { 'last-event-id': frames.at(-1)!.id } });
    expect(resumed.status).toBe(200);
    reading = readInto(frames, resumed);
  }
  await reading;
  const custom = frames.filter(({ event }) => event === 'custom');
  expect(custom.map(({ data }) => data.index)).toEqual([...Array(300).keys()]);
  expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
  await worker.end('SIGKILL');
});

test('a waiting client that reconnects after the API was killed gets its result', async () => {
  await cluster.start({ role: 'worker' });
  const api = await cluster.start({ role: 'api' });
  const { thread_id } = await clientOf(api).threads.create();
  const { hold, release } = holds(1);
  const run = await clientOf(api).runs.create(thread_id, 'steps', { input: { steps: 1, hold } });
  const broken = fetch(`${api.url}/threads/${thread_id}/runs/${run.run_id}/join`).then((answer) =>
    answer.text(),
  );
  const outcome = broken.catch(() => 'broken');
  const metrics = () => fetch(`${api.url}/metrics`).then((answer) => answer.text());
  await until('it waits', async () => /^slipway_event_readers [1-9]/m.test(await metrics()));
  await api.end('SIGKILL');
  expect(await outcome).toBe('broken');
  release(1);
  const again = await cluster.start({ role: 'api' });
  expect(await clientOf(again).runs.join(thread_id, run.run_id)).toMatchObject({ done: [1] });
});
