import type { QueuedRun } from '../../../workflows/contracts.ts';
import { BadRequest } from '../../platform/errors.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { ThreadBusy, ThreadNotFound } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { threadInsert } from '../threads/thread-repository.ts';
import { defaultTtl } from '../threads/thread-ttl.ts';
import { resolveRun } from './run-kwargs.ts';
import { loadOrigin } from './run-origin.ts';
import { deleteUnqueuedRun, insertRun } from './run-repository.ts';
import type { Run, RunCreate } from './run.ts';

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

/**
 * Records the run and puts it in its thread's queue. Throws AssistantNotFound, GraphNotFound, ThreadNotFound,
 * ThreadBusy, BadRequest; Unavailable when the queue cannot be reached, and then nothing is left behind.
 */
export async function acceptRun(deps: AgentDeps, create: RunCreate, request: RunRequest): Promise<Run> {
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
  const run = await insertRun(
    db,
    {
      run_id,
      thread_id,
      assistant_id: assistant.assistant_id,
      graph_id: assistant.graph_id,
      metadata,
      kwargs,
      multitask_strategy: create.multitask_strategy,
      after_seconds: create.after_seconds ?? 0,
      langsmith_session_name: create.langsmith_tracer?.project_name ?? null,
    },
    // Parallel creates for one id must all succeed (contract §5.2); a hidden thread's time starts with its run's end.
    makesThread
      ? [
          threadInsert({
            thread_id,
            metadata: clientMetadata(create.metadata),
            hidden: threadless,
            ttl: threadless ? undefined : defaultTtl(project.config),
          }),
        ]
      : [],
  );
  if (!run) throw create.multitask_strategy === 'reject' ? new ThreadBusy() : new ThreadNotFound(thread_id);
  const due = create.after_seconds ? { due_ms: Date.now() + create.after_seconds * 1000 } : {};
  try {
    await deps.threads.enqueue(thread_id, queuedRun(deps, { ...run, graph_id: assistant.graph_id, ...due }));
  } catch (error) {
    await deleteUnqueuedRun(db, thread_id, run_id);
    throw error;
  }
  return run;
}

/** The run as its thread's queue knows it. */
export function queuedRun(
  { config, threads }: Pick<AgentDeps, 'config' | 'threads'>,
  run: {
    run_id: string;
    assistant_id: string;
    graph_id: string;
    due_ms?: number;
    multitask_strategy?: string;
  },
): QueuedRun {
  return {
    run_id: run.run_id,
    graph_id: run.graph_id,
    assistant_id: run.assistant_id,
    multitask_strategy: (run.multitask_strategy ?? 'enqueue') as QueuedRun['multitask_strategy'],
    task_queue: threads.taskQueue,
    timeout_ms: config.SLIPWAY_RUN_TIMEOUT_SECONDS * 1000,
    ...(run.due_ms !== undefined && { due_ms: run.due_ms }),
  };
}
