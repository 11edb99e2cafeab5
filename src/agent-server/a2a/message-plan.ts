import { INVALID_PARAMS, JsonRpcError } from '../../platform/http/json-rpc.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';
import { newRunRequest, type RequestOrigin, type RunRequest } from '../runs/run-plan.ts';
import { TASK_KEY, type TaskRow } from '../runs/task-repository.ts';
import type { RunCreate } from '../records/run.ts';
import { noPushNotifications, unsupportedOperation } from './a2a-errors.ts';
import type { SentMessage } from './message-params.ts';
import { stateMessageId } from './task-history.ts';
import { requireTask, taskOfContext } from './task-lookup.ts';

/** The run a message asks for, and the task it starts or continues. */
export interface MessagePlan {
  create: RunCreate;
  request: RunRequest;
  task: Pick<TaskRow, 'task_id' | 'thread_id' | 'run_id' | 'input'>;
}

/** Throws JsonRpcError if the task accepts no more messages or its graph can't read the message. */
export async function planMessage(
  deps: AgentDeps,
  assistant: Assistant,
  message: SentMessage,
  origin: RequestOrigin,
): Promise<MessagePlan> {
  const { configuration, contextId, context } = message;
  if (configuration.pushNotificationConfig ?? configuration.taskPushNotificationConfig)
    throw noPushNotifications();
  const waiting = await findWaiting(deps, assistant, message, origin);
  const request = newRunRequest(waiting?.thread_id ?? contextId, origin);
  const task = waiting ?? { ...request, task_id: request.run_id };
  const work = waiting
    ? {
        command: message.command ?? { resume: answerOf(message) },
        metadata: { [TASK_KEY]: waiting.task_id },
        // If two answers arrive for one question, reject the second.
        multitask_strategy: 'reject' as const,
      }
    : {
        ...(message.command
          ? { command: message.command }
          : { input: inputOf(deps, assistant, message, request.run_id) }),
        if_not_exists: 'create' as const,
        multitask_strategy: 'enqueue' as const,
      };
  return {
    create: { assistant_id: assistant.assistant_id, ...work, ...(context && { context }), stream_mode: [] },
    // The caller can return to the thread, even if it named none.
    request: { ...request, threadless: false },
    task: { ...task, run_id: request.run_id, input: waiting?.input ?? ('input' in work ? work.input : null) },
  };
}

/** The task a message answers: the one it names, or its context's task if the message is just an answer. */
async function findWaiting(
  deps: AgentDeps,
  assistant: Assistant,
  { taskId, contextId, command, data, text }: SentMessage,
  origin: RequestOrigin,
): Promise<TaskRow | undefined> {
  const resumes = command?.resume !== undefined;
  const mayAnswer = resumes || (text === undefined && Object.keys(data ?? {}).join() === 'resume');
  if (taskId === undefined && (contextId === undefined || !mayAnswer)) return undefined;
  const task =
    taskId === undefined
      ? await taskOfContext(deps, assistant, contextId!, origin.caller)
      : await requireTask(deps, assistant, taskId, origin.caller);
  if (contextId !== undefined && task && task.thread_id !== contextId)
    throw new JsonRpcError(INVALID_PARAMS, "params.message.contextId is not the task's");
  // Data with that name may also be input.
  if (taskId === undefined && !resumes && task?.state !== 'input-required') return undefined;
  if (task?.state !== 'input-required')
    throw unsupportedOperation(`The task takes no messages: it is ${task?.state ?? 'not there'}`);
  if (!task.latest) throw unsupportedOperation('The context has gone on without an answer to the task');
  return task;
}

const answerOf = ({ data, text }: SentMessage): unknown =>
  data === undefined ? text : 'resume' in data ? data['resume'] : data;

function inputOf(
  { project }: AgentDeps,
  { graph_id }: Assistant,
  { role, messageId, text, data }: SentMessage,
  runId: string,
): JsonObject {
  if (text === undefined) return data ?? {};
  const properties = project.require(graph_id).schemas.input_schema?.['properties'];
  if (properties && !Object.hasOwn(properties, 'messages'))
    throw new JsonRpcError(
      INVALID_PARAMS,
      'The graph does not accept text, because its input has no messages',
    );
  const type = role === 'user' ? 'human' : 'ai';
  return { ...data, messages: [{ type, content: text, id: stateMessageId(runId, messageId) }] };
}
