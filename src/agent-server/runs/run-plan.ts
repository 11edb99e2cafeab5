import type { Statement } from '../../platform/db/database.ts';
import { BadRequest } from '../../platform/errors.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { readAssistant } from '../auth/assistant-access.ts';
import type { Caller } from '../caller.ts';
import { ThreadNotFound } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { threadExists, threadInsert } from '../records/thread-repository.ts';
import { defaultTtl } from '../records/default-ttl.ts';
import { authorizeRun, authorizeThread } from './run-access.ts';
import { resolveRun } from './run-kwargs.ts';
import { loadOrigin } from './run-origin.ts';
import type { NewRun } from '../records/run-repository.ts';
import type { RunCreate } from '../records/run.ts';

/** The request that asked for a run, and its sender. */
export interface RequestOrigin {
  request_id: string;
  /** Whose permissions decide which assistant and thread can be used; the run executes as this user. */
  caller: Caller;
}

export interface RunRequest extends RequestOrigin {
  run_id: string;
  thread_id: string;
  /** True if the caller named no thread; `thread_id` is then created for this run. */
  threadless: boolean;
  /** Metadata set by the server, under keys that clients cannot write. */
  metadata?: JsonObject;
  /** Executed in the transaction that records the run. With a claim, the run stays recorded if it cannot be queued. */
  claim?: Statement[];
}

/** Chooses the run's ids before it exists, so that a reader can listen for its events first. */
export const newRunRequest = (threadId: string | undefined, from: RequestOrigin): RunRequest => ({
  run_id: uuid7(),
  thread_id: threadId ?? uuid7(),
  threadless: threadId === undefined,
  ...from,
});

/** A validated run, ready to insert, with the statements to execute before it. */
export interface RunPlan {
  run: NewRun;
  before: Statement[];
  /** True if the thread is created for this run alone. */
  ownThread: boolean;
  /** True if the caller ensures that the run gets queued. */
  kept: boolean;
}

/**
 * Validates and resolves a run without writing anything, so that a batch is accepted as a whole or not at all. Throws
 * AssistantNotFound, GraphNotFound, ThreadNotFound, BadRequest, WebhookRefused, and what the project's authorization
 * throws.
 */
export async function planRun(deps: AgentDeps, asked: RunCreate, request: RunRequest): Promise<RunPlan> {
  const { db, project } = deps;
  const { run_id, thread_id, threadless } = request;
  const { create, reach } = await authorizeRun(deps.access, asked, request);
  if (threadless && create.command?.resume !== undefined) {
    throw new BadRequest('You must provide a thread_id when resuming.');
  }
  const webhook = await deps.webhooks.accept(create.webhook);
  const { assistant, thread, isSystem } = await loadOrigin(
    db,
    create.assistant_id,
    threadless ? null : thread_id,
    [...project.graphs.keys()],
  );
  // Anyone who may start runs may use system assistants (contract §13.2).
  if (!isSystem) await readAssistant(deps, request.caller, assistant.assistant_id);
  if (thread && reach && !(await threadExists(db, thread_id, reach))) throw new ThreadNotFound(thread_id);
  project.require(assistant.graph_id);
  const makesThread = threadless || (!thread && (create.if_not_exists ?? create.on_not_exist) === 'create');
  if (!thread && !makesThread) throw new ThreadNotFound(thread_id);
  const { kwargs, metadata } = resolveRun(create, {
    ...request,
    assistant,
    thread: thread ?? { config: {}, metadata: {} },
    webhook,
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
    reach,
    langsmith_session_name: create.langsmith_tracer?.project_name ?? null,
  };
  // Parallel creates of one id must all succeed (contract §5.2). A hidden thread's TTL starts when its run ends.
  const threadMetadata =
    makesThread && !threadless ? await authorizeThread(deps.access, create, request) : {};
  const newThread = {
    thread_id,
    metadata: { ...clientMetadata({ ...create.metadata, ...threadMetadata }), ...request.metadata },
    hidden: threadless,
    ttl: threadless ? undefined : defaultTtl(project.config),
    run: { graph_id: run.graph_id, assistant_id: run.assistant_id },
  };
  const { claim = [] } = request;
  const before = [...claim, ...(makesThread ? [threadInsert(newThread)] : [])];
  return { run, before, ownThread: threadless, kept: claim.length > 0 };
}
