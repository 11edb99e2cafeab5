import { Type } from 'typebox';
import { INVALID_PARAMS, JsonRpcError } from '../../platform/http/json-rpc.ts';
import { isUuid } from '../../platform/ids.ts';
import { compileValidator } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';
import type { Caller } from '../caller.ts';
import { stopRuns } from '../runs/run-cancellation.ts';
import { abandonRun, searchTasks, TASK_STATES } from '../runs/task-repository.ts';
import { taskNotCancelable } from './a2a-errors.ts';
import { requireTask } from './task-lookup.ts';
import { viewTask } from './task-view.ts';
import { type Task, TERMINAL_STATES } from './task.ts';

/** Default number of history messages per task. */
export const HISTORY = 10;

const Length = Type.Optional(Type.Integer({ minimum: 0 }));
const checkGet = compileValidator(
  // Early drafts of 1.0 used `name: "tasks/<id>"`.
  Type.Object({
    id: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    historyLength: Length,
  }),
  'params',
);
const checkList = compileValidator(
  Type.Object({
    contextId: Type.Optional(Type.String()),
    status: Type.Optional(Type.String()),
    statusTimestampAfter: Type.Optional(Type.String({ format: 'date-time' })),
    pageSize: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    pageToken: Type.Optional(Type.String()),
    historyLength: Length,
    includeArtifacts: Type.Optional(Type.Boolean()),
  }),
  'params',
);

export interface TaskMethodInput {
  deps: AgentDeps;
  assistant: Assistant;
  caller: Caller;
  params: object;
}

/** Parses the task id and history length for get, cancel and subscribe. Throws InvalidRequest, JsonRpcError. */
export function readTaskParams(params: object): { id: string; historyLength: number } {
  const { id, name, historyLength = HISTORY } = checkGet(params);
  const given = id ?? name?.replace(/^tasks\//, '');
  if (!given) throw new JsonRpcError(INVALID_PARAMS, 'params.id is required');
  return { id: given, historyLength };
}

export async function getTask({ deps, assistant, caller, params }: TaskMethodInput): Promise<Task> {
  const { id, historyLength } = readTaskParams(params);
  const row = await requireTask(deps, assistant, id, caller);
  return viewTask(deps, row, { historyLength, artifacts: true });
}

/**
 * Cancels the task's run and waits until it has stopped. Throws JsonRpcError if it is over or ends on its own
 * meanwhile.
 */
export async function cancelTask({ deps, assistant, caller, params }: TaskMethodInput): Promise<Task> {
  const { id, historyLength } = readTaskParams(params);
  const row = await requireTask(deps, assistant, id, caller, 'update');
  if (TERMINAL_STATES.has(row.state)) throw taskNotCancelable(id);
  if (row.state === 'input-required') await abandonRun(deps.db, row);
  else await stopRuns(deps, [row], 'interrupt');
  const stopped = await requireTask(deps, assistant, id, caller, 'update');
  if (stopped.state !== 'canceled') throw taskNotCancelable(id);
  return viewTask(deps, stopped, { historyLength, artifacts: false });
}

export interface TaskPage {
  tasks: Task[];
  totalSize: number;
  pageSize: number;
  nextPageToken: string;
}

export async function listTasks({ deps, assistant, caller, params }: TaskMethodInput): Promise<TaskPage> {
  const { contextId, status, statusTimestampAfter, pageSize, pageToken, ...detail } = checkList(params);
  const since = statusTimestampAfter === undefined ? undefined : Date.parse(statusTimestampAfter);
  if (Number.isNaN(since)) throw invalid('params.statusTimestampAfter must be a time');
  const offset = pageToken ? readToken(pageToken) : 0;
  const filter = await deps.access.authorize(caller, 'threads', 'search', {});
  // Any text may be a context id; those that are not UUIDs have no tasks here.
  if (contextId && !isUuid(contextId)) return { tasks: [], totalSize: 0, pageSize, nextPageToken: '' };
  const { tasks, total } = await searchTasks(
    deps.db,
    { assistant_id: assistant.assistant_id, filter },
    { thread_id: contextId || undefined, state: readState(status), since, limit: pageSize, offset },
  );
  const { historyLength = 0, includeArtifacts: artifacts = false } = detail;
  const shown: Task[] = [];
  // One at a time: a page of old tasks must not use up the connection pool.
  for (const row of tasks) shown.push(await viewTask(deps, row, { historyLength, artifacts }));
  const next = offset + tasks.length;
  return {
    tasks: shown,
    totalSize: total,
    pageSize,
    nextPageToken: tasks.length > 0 && next < total ? writeToken(next) : '',
  };
}

// Includes protocol states that our tasks never reach.
const NAMES = [...TASK_STATES, 'rejected', 'auth-required', 'unknown'];

function readState(status: string | undefined): string | undefined {
  if (!status || status === 'TASK_STATE_UNSPECIFIED') return undefined;
  const name = status
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replace('_', '-');
  if (!NAMES.includes(name)) throw invalid(`params.status must be one of: ${NAMES.join(', ')}`);
  return name;
}

const writeToken = (offset: number): string => Buffer.from(String(offset)).toString('base64url');

function readToken(token: string): number {
  const text = Buffer.from(token, 'base64url').toString();
  if (!/^\d{1,9}$/.test(text)) throw invalid('Invalid params.pageToken');
  return Number(text);
}

const invalid = (detail: string) => new JsonRpcError(INVALID_PARAMS, detail);
