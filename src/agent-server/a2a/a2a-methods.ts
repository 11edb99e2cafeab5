import type { Context } from 'koa';
import {
  INVALID_PARAMS,
  JsonRpcError,
  type JsonRpcId,
  METHOD_NOT_FOUND,
} from '../../platform/http/json-rpc.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';
import { originOf } from '../runs/run-routes.ts';
import { noPushNotifications, unsupportedOperation } from './a2a-errors.ts';
import { askedVersion } from './protocol-version.ts';
import { sendMessage, streamMessage } from './message-methods.ts';
import { type Spelling, V0_3, V1_0 } from './spelling.ts';
import { subscribe } from './subscribe.ts';
import { cancelTask, getTask, listTasks } from './task-methods.ts';

export interface A2aRequest {
  deps: AgentDeps;
  ctx: Context;
  assistant: Assistant;
  id: JsonRpcId;
  params: object;
}

/** Returns the result, a promise of it as `later`, or undefined if a stream answers. */
type Method = (request: A2aRequest, spelling: Spelling) => Promise<A2aAnswer>;
export type A2aAnswer = { result: object } | { later: Promise<object>; onGone(): void } | undefined;

const get: Method = async (request, { task }) => ({ result: task(await getTask(taskInput(request))) });
const cancel: Method = async (request, { task }) => ({ result: task(await cancelTask(taskInput(request))) });
const list: Method = async (request, { task }) => {
  const page = await listTasks(taskInput(request));
  return { result: { ...page, tasks: page.tasks.map(task) } };
};
const extendedCard: Method = async () => {
  throw unsupportedOperation('The agent has no extended card: its card does not declare extendedAgentCard');
};
const push: Method = async () => {
  throw noPushNotifications();
};

const taskInput = ({ deps, ctx, assistant, params }: A2aRequest) => ({
  deps,
  assistant,
  params,
  caller: originOf(ctx).caller,
});

/** Every method in both spellings (contract §11.2); the response uses the request's spelling. */
const METHODS = new Map<string, [Method, Spelling]>([
  ['message/send', [sendMessage, V0_3]],
  ['message/stream', [streamMessage, V0_3]],
  ['tasks/get', [get, V0_3]],
  ['tasks/list', [list, V0_3]],
  ['tasks/cancel', [cancel, V0_3]],
  ['tasks/resubscribe', [subscribe, V0_3]],
  ['agent/getAuthenticatedExtendedCard', [extendedCard, V0_3]],
  ['tasks/pushNotificationConfig/set', [push, V0_3]],
  ['tasks/pushNotificationConfig/get', [push, V0_3]],
  ['tasks/pushNotificationConfig/list', [push, V0_3]],
  ['tasks/pushNotificationConfig/delete', [push, V0_3]],
  ['SendMessage', [sendMessage, V1_0]],
  ['SendStreamingMessage', [streamMessage, V1_0]],
  ['GetTask', [get, V1_0]],
  ['ListTasks', [list, V1_0]],
  ['CancelTask', [cancel, V1_0]],
  ['SubscribeToTask', [subscribe, V1_0]],
  ['GetExtendedAgentCard', [extendedCard, V1_0]],
  ['CreateTaskPushNotificationConfig', [push, V1_0]],
  ['GetTaskPushNotificationConfig', [push, V1_0]],
  ['ListTaskPushNotificationConfigs', [push, V1_0]],
  ['DeleteTaskPushNotificationConfig', [push, V1_0]],
]);

/** The methods that answer with a stream. */
export const STREAMS: ReadonlySet<string> = new Set(
  [...METHODS].flatMap(([name, [method]]) =>
    method === streamMessage || method === subscribe ? [name] : [],
  ),
);

/** Throws JsonRpcError, InvalidRequest and the errors of starting a run. */
export async function answerA2a(method: string, request: A2aRequest): Promise<A2aAnswer> {
  const version = askedVersion(request.ctx);
  const [answer, spelling] = METHODS.get(method) ?? [];
  if (!answer || !spelling) throw new JsonRpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
  if (version && version !== spelling.version)
    throw new JsonRpcError(METHOD_NOT_FOUND, `Method not found in A2A ${version}: ${method}`);
  if (request.id === null) throw new JsonRpcError(INVALID_PARAMS, 'id must be a string or an integer');
  return answer(request, spelling);
}
