import type { Statement } from '../../platform/db/database.ts';
import { BadRequest } from '../../platform/errors.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { ThreadNotFound } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { threadInsert } from '../threads/thread-repository.ts';
import { defaultTtl } from '../threads/thread-ttl.ts';
import { resolveRun } from './run-kwargs.ts';
import { loadOrigin } from './run-origin.ts';
import type { NewRun } from './run-repository.ts';
import type { RunCreate } from './run.ts';

export interface RunRequest {
  run_id: string;
  thread_id: string;
  /** True when the caller named no thread: the one given is made for this run. */
  threadless: boolean;
  request_id: string;
}

/** Ids for a run that is about to be created, so that its events can be listened for before it exists. */
export const newRunRequest = (threadId: string | undefined, requestId: string): RunRequest => ({
  run_id: uuid7(),
  thread_id: threadId ?? uuid7(),
  threadless: threadId === undefined,
  request_id: requestId,
});

/** A run that may be recorded as it is, and what is to be written before it. */
export interface RunPlan {
  run: NewRun;
  before: Statement[];
  /** True when the thread is made for this run alone. */
  ownThread: boolean;
}

/**
 * Works out a run without writing anything, so that of several all or none are accepted. Throws AssistantNotFound,
 * GraphNotFound, ThreadNotFound, BadRequest.
 */
export async function planRun(deps: AgentDeps, create: RunCreate, request: RunRequest): Promise<RunPlan> {
  const { db, project } = deps;
  const { run_id, thread_id, threadless } = request;
  if (threadless && create.command?.resume !== undefined) {
    throw new BadRequest('You must provide a thread_id when resuming.');
  }
  const origin = await loadOrigin(db, create.assistant_id, threadless ? null : thread_id, [
    ...project.graphs.keys(),
  ]);
  const { assistant, thread } = origin;
  project.require(assistant.graph_id);
  const makesThread = threadless || (!thread && (create.if_not_exists ?? create.on_not_exist) === 'create');
  if (!thread && !makesThread) throw new ThreadNotFound(thread_id);
  const { kwargs, metadata } = resolveRun(create, {
    ...request,
    assistant,
    thread: thread ?? { config: {}, metadata: {} },
    temporary: threadless && !['keep', 'continue'].includes(create.on_completion ?? 'delete'),
  });
  const run = {
    run_id,
    thread_id,
    assistant_id: assistant.assistant_id,
    graph_id: assistant.graph_id,
    metadata,
    kwargs,
    multitask_strategy: create.multitask_strategy,
    after_seconds: create.after_seconds ?? 0,
    langsmith_session_name: create.langsmith_tracer?.project_name ?? null,
  };
  // Parallel creates for one id must all succeed (contract §5.2); a hidden thread's time starts with its run's end.
  const newThread = {
    thread_id,
    metadata: clientMetadata(create.metadata),
    hidden: threadless,
    ttl: threadless ? undefined : defaultTtl(project.config),
  };
  return { run, before: makesThread ? [threadInsert(newThread)] : [], ownThread: threadless };
}
