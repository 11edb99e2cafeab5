import { originOf } from '../runs/run-routes.ts';
import type { TaskRow } from '../runs/task-repository.ts';
import { taskRemoved, unsupportedOperation } from './a2a-errors.ts';
import type { A2aAnswer, A2aRequest } from './a2a-methods.ts';
import type { Spelling } from './spelling.ts';
import { TaskFollower } from './task-follower.ts';
import { requireTask } from './task-lookup.ts';
import { readTaskParams } from './task-methods.ts';
import { TaskStream } from './task-stream.ts';
import { viewTask } from './task-view.ts';
import { type Task, TERMINAL_STATES } from './task.ts';

/** Streams the task's current state, then its changes. Throws JsonRpcError if the task is over. */
export async function subscribe(
  { deps, ctx, assistant, id, params }: A2aRequest,
  spelling: Spelling,
): Promise<A2aAnswer> {
  const { id: wanted, historyLength } = readTaskParams(params);
  const task = await requireTask(deps, assistant, wanted, originOf(ctx).caller);
  if (TERMINAL_STATES.has(task.state))
    throw unsupportedOperation(`The task has no more to tell: it is ${task.state}`);
  const stream = new TaskStream(deps, id, spelling);
  const scope = { assistant_id: assistant.assistant_id, filter: undefined };
  const follower = new TaskFollower(deps, scope, task, stream.onEvents);
  const view = (row: TaskRow): Promise<Task> => viewTask(deps, row, { historyLength, artifacts: true });
  /** The task at the end of its stream: over, or asking for input if that ends a stream. */
  const last = async (): Promise<Task> => {
    for (let row: TaskRow | undefined = task; ;) {
      if (row.state !== 'input-required') row = await follower.stopped(row);
      if (!row) throw taskRemoved();
      if (TERMINAL_STATES.has(row.state)) return view(row);
      if (row !== task && spelling.questionEndsStream) return view(row);
      if (row !== task) stream.pause(await view(row));
      row = await follower.resumed(row);
      if (!row) throw taskRemoved();
      if (TERMINAL_STATES.has(row.state)) return view(row);
      if (row.state !== 'input-required') stream.resume(row);
    }
  };
  try {
    await follower.ready;
    const now = await viewTask(deps, task, { historyLength, artifacts: task.state === 'input-required' });
    stream.open(ctx, task, now, last(), () => follower.close());
  } catch (error) {
    follower.close();
    throw error;
  }
  return undefined;
}
