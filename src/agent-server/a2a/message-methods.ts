import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';
import { originOf } from '../runs/run-routes.ts';
import { findTask, type TaskRow } from '../runs/task-repository.ts';
import { taskRemoved } from './a2a-errors.ts';
import type { A2aAnswer, A2aRequest } from './a2a-methods.ts';
import { readSentMessage } from './message-params.ts';
import type { MessagePlan } from './message-plan.ts';
import { returnsAtOnce, startTask } from './send-message.ts';
import type { Spelling } from './spelling.ts';
import { HISTORY } from './task-methods.ts';
import { TaskStream } from './task-stream.ts';
import { viewTask } from './task-view.ts';
import type { Task } from './task.ts';

/** Answers with the task when its run has ended, or immediately on request. */
export async function sendMessage(
  { deps, ctx, assistant, params }: A2aRequest,
  spelling: Spelling,
): Promise<A2aAnswer> {
  const message = readSentMessage(params);
  const { historyLength = HISTORY } = message.configuration;
  const { follower, task } = await startTask(deps, assistant, message, originOf(ctx));
  if (returnsAtOnce(message)) {
    follower.close();
    return { result: spelling.sentTask(await submitted(deps, task, historyLength)) };
  }
  const later = follower.ended
    .then(() => finished(deps, assistant, task, historyLength))
    .then(spelling.sentTask)
    .finally(() => follower.close());
  // If the client disconnects, the task continues and the client can come back for it.
  return { later, onGone: () => follower.close() };
}

/** Streams the task from its first state to its last. */
export async function streamMessage(
  { deps, ctx, assistant, id, params }: A2aRequest,
  spelling: Spelling,
): Promise<A2aAnswer> {
  const message = readSentMessage(params);
  const { historyLength = HISTORY } = message.configuration;
  const stream = new TaskStream(deps, id, spelling);
  const { follower, task } = await startTask(deps, assistant, message, originOf(ctx), {
    modes: ['messages-tuple'],
    onEvents: stream.onEvents,
  });
  const end = follower.ended.then(() => finished(deps, assistant, task, historyLength));
  stream.open(ctx, task, await submitted(deps, task, historyLength), end, () => follower.close());
  return undefined;
}

/** The task before its run has started. */
const submitted = (deps: AgentDeps, task: MessagePlan['task'], historyLength: number): Promise<Task> =>
  viewTask(
    deps,
    { ...task, state: 'submitted', error: null, updated_at: new Date().toISOString(), latest: true },
    { historyLength, artifacts: false },
  );

/** The task after its run has ended. Throws JsonRpcError if it was removed in the meantime. */
async function finished(
  deps: AgentDeps,
  { assistant_id }: Assistant,
  { thread_id, run_id }: Pick<TaskRow, 'thread_id' | 'run_id'>,
  historyLength: number,
): Promise<Task> {
  // Needs no filter: the run is the caller's own, and access to the thread was checked when it started.
  const row = await findTask(deps.db, { assistant_id, filter: undefined }, thread_id, run_id);
  if (!row) throw taskRemoved();
  return viewTask(deps, row, { historyLength, artifacts: true });
}
