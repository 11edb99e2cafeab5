import { expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import { clientOf, useCluster } from './cluster.ts';

const cluster = useCluster();

interface Frame {
  id: string;
  event: string;
  data: { index: number; text: string };
}

/** Reads frames until the connection ends or breaks. */
async function readFrames(response: Response, frames: Frame[]): Promise<void> {
  let text = '';
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
        if (field('event')) {
          frames.push({
            id: field('id'),
            event: field('event'),
            data: JSON.parse(field('data')) as Frame['data'],
          });
        }
      }
    }
  } catch {
    // The server was killed.
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a reader whose API is killed again and again misses nothing and sees nothing twice', async () => {
  const port = await freePort();
  await cluster.start({ role: 'worker' });
  let api = await cluster.start({ role: 'api', port });
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
  let reading = readFrames(started, frames);
  for (let kill = 0; kill < 2; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await api.end('SIGKILL');
    await reading;
    api = await cluster.start({ role: 'api', port });
    const resumed = await fetch(api.url + location, { headers: { 'last-event-id': frames.at(-1)!.id } });
    expect(resumed.status).toBe(200);
    reading = readFrames(resumed, frames);
  }
  await reading;
  const custom = frames.filter(({ event }) => event === 'custom');
  expect(custom.map(({ data }) => data.index)).toEqual([...Array(300).keys()]);
  expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
});

test('a waiting client that asks again after the API was killed gets its answer', async () => {
  const port = await freePort();
  await cluster.start({ role: 'worker' });
  const api = await cluster.start({ role: 'api', port });
  const { thread_id } = await clientOf(api).threads.create();
  const run = await clientOf(api).runs.create(thread_id, 'sleepy', { input: { ms: 3_000 } });
  const broken = fetch(`${api.url}/threads/${thread_id}/runs/${run.run_id}/join`).then((answer) =>
    answer.text(),
  );
  const outcome = broken.catch(() => 'broken');
  await new Promise((resolve) => setTimeout(resolve, 500));
  await api.end('SIGKILL');
  expect(await outcome).toBe('broken');
  const again = await cluster.start({ role: 'api', port });
  expect(await clientOf(again).runs.join(thread_id, run.run_id)).toMatchObject({ slept: 3_000 });
});
