import { expect, test } from '@jest/globals';
import type { MultitaskStrategy, QueuedRun } from '../../workflows/runs/contracts.ts';
import { ThreadQueue } from '../../workflows/runs/thread-queue.ts';

const run = (
  run_id: string,
  multitask_strategy: MultitaskStrategy = 'enqueue',
  due_ms?: number,
): QueuedRun => ({
  run_id,
  graph_id: 'g',
  assistant_id: 'a',
  task_queue: 'q',
  timeout_ms: 1,
  multitask_strategy,
  ...(due_ms !== undefined && { due_ms }),
});
const drain = (queue: ThreadQueue, now = 0) => {
  const ids: string[] = [];
  for (let next = queue.takeDue(now); next; next = queue.takeDue(now)) ids.push(next.run_id);
  return ids;
};
const stopped = (queue: ThreadQueue) => {
  const all: string[] = [];
  for (let next = queue.takeStopped(); next; next = queue.takeStopped())
    all.push(`${next.run.run_id}:${next.action}`);
  return all;
};

test('runs leave in the order received', () => {
  const queue = new ThreadQueue([run('1')]);
  for (const id of ['2', '3']) queue.add(run(id));
  expect(drain(queue)).toEqual(['1', '2', '3']);
});

test('interrupt displaces all waiting runs, including delayed ones', () => {
  const queue = new ThreadQueue([run('1'), run('2', 'enqueue', 5_000)]);
  queue.add(run('3', 'interrupt'));
  expect(stopped(queue)).toEqual(['1:interrupt', '2:interrupt']);
  expect(drain(queue)).toEqual(['3']);
});

test('rollback displaces with its own action', () => {
  const queue = new ThreadQueue([run('1')]);
  queue.add(run('2', 'rollback'));
  expect(stopped(queue)).toEqual(['1:rollback']);
});

test('a delayed run lets later ones pass until it is due', () => {
  const queue = new ThreadQueue([run('late', 'enqueue', 1_000), run('now')]);
  expect(queue.takeDue(0)?.run_id).toBe('now');
  expect(queue.takeDue(0)).toBeUndefined();
  expect(queue.dueIn(400)).toBe(600);
  expect(queue.takeDue(1_000)?.run_id).toBe('late');
  expect(queue.dueIn(0)).toBeUndefined();
});

test('only a waiting run can be stopped', () => {
  const queue = new ThreadQueue([run('1')]);
  expect(queue.stop('2', 'interrupt')).toBe(false);
  expect(queue.stop('1', 'rollback')).toBe(true);
  expect(queue.has('1')).toBe(true);
  expect(stopped(queue)).toEqual(['1:rollback']);
  expect(queue.has('1')).toBe(false);
});

test('a run put back goes first', () => {
  const queue = new ThreadQueue([run('2')]);
  queue.putBack(run('1'));
  expect(drain(queue)).toEqual(['1', '2']);
});

test('runs follow each other without the workflow until one needs it', () => {
  const following = (queued: QueuedRun[], most = 9) =>
    new ThreadQueue(queued).following(run('0'), 100, most).map(({ run_id }) => run_id);
  const plain = [run('1'), run('2', 'enqueue', 100), run('3', 'rollback')];
  expect(following([...plain])).toEqual(['1', '2', '3']);
  expect(following([...plain], 2)).toEqual(['1', '2']);
  expect(following([...plain, run('late', 'enqueue', 101), run('4')])).toEqual(['1', '2', '3']);
  expect(following([run('1'), { ...run('elsewhere'), task_queue: 'r' }, run('2')])).toEqual(['1']);
  expect(following([run('1'), { ...run('told'), webhook: true }, run('2')])).toEqual(['1']);
  expect(new ThreadQueue(plain).following({ ...run('0'), webhook: true }, 100, 9)).toEqual([]);
});

test('a run removed is neither waiting nor stopped', () => {
  const queue = new ThreadQueue([run('1'), run('2'), run('3')]);
  queue.stop('1', 'interrupt');
  queue.remove('1');
  queue.remove('2');
  expect([queue.hasStopped, drain(queue)]).toEqual([false, ['3']]);
});
