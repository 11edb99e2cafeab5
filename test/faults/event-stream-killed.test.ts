import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ALL, command, isRootEnd, openEvents, type Event } from '../api/protocol-client.ts';
import { useHolds } from '../support/holds.ts';
import { readTrace, useCluster } from './cluster.ts';

const cluster = useCluster();
const holds = useHolds();
const idsOf = (events: Event[]) => events.map(({ event_id }) => event_id);

test('when an API is killed during an event stream, another continues it, each event exactly once', async () => {
  const worker = await cluster.start({ role: 'worker' });
  const [first, second] = await Promise.all([cluster.start({ role: 'api' }), cluster.start({ role: 'api' })]);
  const thread = randomUUID();
  let reader = await openEvents(first, thread, { channels: ALL });
  const input = {
    events: 150,
    tokens: 20,
    delay_ms: 20,
    messages: [{ type: 'human', content: 'hi', id: 'h' }],
  };
  const { result } = await command(first, thread, 'run.start', { assistant_id: 'tokens', input });
  await reader.until(({ params }) => params.data.payload?.index === 30);
  await first.end('SIGKILL');
  await reader.gone;
  const seen = [...reader.events];
  // By its event number on one process, then by its name on the same one.
  reader = await openEvents(second, thread, { channels: ALL, since: seen.at(-1)!.seq });
  await reader.until(({ params }) => params.data.payload?.index === 90);
  reader.close();
  await reader.gone;
  seen.push(...reader.events);
  reader = await openEvents(second, thread, { channels: ALL }, { 'last-event-id': seen.at(-1)!.event_id });
  await reader.until(isRootEnd);
  seen.push(...reader.events);
  reader.close();

  const whole = await openEvents(second, thread, { channels: ALL });
  await whole.until(isRootEnd);
  whole.close();
  expect(idsOf(seen)).toEqual(idsOf(whole.events));
  expect(seen).toEqual(whole.events);
  expect(new Set(idsOf(seen)).size).toBe(seen.length);
  const start = seen[0]!.seq;
  expect(seen.map(({ seq }) => seq - start)).toEqual([...seen.keys()]);
  expect(seen[0]).toMatchObject({
    event_id: `synth:${result.run_id}:lifecycle||running`,
    params: { data: { event: 'running', graph_name: 'tokens' } },
  });
  const custom = seen.filter(({ method }) => method === 'custom');
  expect(custom.map(({ params }) => params.data.payload.index)).toEqual([...Array(150).keys()]);
  await Promise.all([worker.end('SIGKILL'), second.end('SIGKILL')]);
});

test('when a worker is killed during a run, the stream continues with the next attempt', async () => {
  const [worker, api] = await Promise.all([
    cluster.start({ role: 'worker' }),
    cluster.start({ role: 'api' }),
  ]);
  const thread = randomUUID();
  const reader = await openEvents(api, thread, { channels: ['lifecycle', 'values', 'updates'] });
  const { hold, release } = holds(4);
  const input = { steps: 8, delay_ms: 100, file: `${cluster.folder}/steps.txt`, hold };
  await command(api, thread, 'run.start', { assistant_id: 'steps', input });
  await reader.until(({ method, params }) => method === 'values' && params.data.done.length === 3);
  await worker.end('SIGKILL');
  const other = await cluster.start({ role: 'worker' });
  release(4);
  const end = await reader.until(isRootEnd);
  reader.close();
  expect(end.params.data.event).toBe('completed');
  const root = reader.events.filter(({ method }) => method === 'lifecycle');
  expect(root.map(({ params }) => params.data.event)).toEqual(['running', 'completed']);
  expect(new Set(idsOf(reader.events)).size).toBe(reader.events.length);
  const last = reader.events.filter(({ method }) => method === 'values').at(-1)!;
  expect(last.params.data.done).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const pids = (await readTrace(input.file)).map(({ pid }) => pid);
  expect([pids[0], pids.at(-1)]).toEqual([worker.child.pid, other.child.pid]);
});
