import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type {
  CancelAction,
  CancelRunInput,
  QueuedRun,
  ThreadInput,
  ThreadWorkflow,
  TurnProgress,
} from '../../../workflows/runs/contracts.ts';
import { callEngine } from '../../platform/temporal/engine-call.ts';

const DEPLOYMENT = defineSearchAttributeKey('SlipwayDeployment', 'KEYWORD');
const ASSISTANT = defineSearchAttributeKey('SlipwayAssistant', 'KEYWORD');
const GRAPH = defineSearchAttributeKey('SlipwayGraph', 'KEYWORD');
const RUN_IDS = defineSearchAttributeKey('SlipwayRunIds', 'KEYWORD_LIST');

const WORKFLOW_TASK_TIMEOUT = '3 seconds';

export interface ThreadWorkflowsOptions {
  client: Client;
  deployment: string;
  /** The deployment's queue, served by its active revision. */
  taskQueue: string;
  /** Queue for the runs accepted here. */
  runQueue: string;
  lingerMs: number;
  heartbeatTimeoutMs: number;
  /** Time a run may execute within a workflow task; 0 for none. */
  localMs: number;
  searchAttributes: boolean;
  /** Time limit of a call to Temporal; beyond it callers get a 503. */
  deadlineMs: number;
}

/** Client of the `thread` workflows: one per thread, started when the thread gets a run. */
export class ThreadWorkflows {
  readonly #options: ThreadWorkflowsOptions;

  constructor(options: ThreadWorkflowsOptions) {
    this.#options = options;
  }

  get taskQueue(): string {
    return this.#options.taskQueue;
  }

  get runQueue(): string {
    return this.#options.runQueue;
  }

  workflowId(threadId: string): string {
    return `${this.#options.deployment}/thread/${threadId}`;
  }

  /**
   * Queues the run on its thread. Durable once it returns, even without a worker; idempotent. With `brief`, a workflow
   * started for this run does not linger, because most threads run once, or minutes apart. Throws Unavailable.
   */
  async enqueue(threadId: string, run: QueuedRun, { brief = false } = {}): Promise<void> {
    if (brief && (await this.#startWith(threadId, run))) return;
    const options = this.#startOptions(threadId, run);
    await this.#call(() =>
      this.#options.client.workflow.signalWithStart<ThreadWorkflow, [QueuedRun]>('thread', {
        ...options,
        args: [this.#input(threadId, run, brief)],
        signal: 'enqueueRun',
        signalArgs: [run],
      }),
    );
  }

  /** Starts the workflow with its run, with an eager start in this process. Returns false if one is open. */
  #startWith(threadId: string, run: QueuedRun): Promise<boolean> {
    return this.#call(async () => {
      try {
        await this.#options.client.workflow.start<ThreadWorkflow>('thread', {
          ...this.#startOptions(threadId, run),
          args: [{ ...this.#input(threadId, run, true), runs: [run] }],
          requestEagerStart: true,
        });
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw error;
      }
    });
  }

  #startOptions(threadId: string, run: QueuedRun) {
    return {
      taskQueue: this.#options.taskQueue,
      workflowId: this.workflowId(threadId),
      staticSummary: `thread ${threadId}`,
      // After a worker is killed, runs that executed within the task wait for this.
      ...(this.#options.localMs > 0 && { workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT }),
      ...this.#searchAttributes(run),
    };
  }

  /** Asks the thread's workflow to stop the run. Returns false if none is open. Throws Unavailable. */
  async cancel(threadId: string, runId: string, action: CancelAction): Promise<boolean> {
    const handle = this.#options.client.workflow.getHandle<ThreadWorkflow>(this.workflowId(threadId));
    try {
      await this.#call(() => handle.signal<[CancelRunInput]>('cancelRun', { run_id: runId, action }));
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /**
   * Reports to an open thread workflow which of its runs is executing. Throws WorkflowNotFoundError and Unavailable.
   */
  async noteProgress(
    { workflowId, runId }: { workflowId: string; runId: string },
    progress: TurnProgress,
  ): Promise<void> {
    const handle = this.#options.client.workflow.getHandle<ThreadWorkflow>(workflowId, runId);
    await this.#call(() => handle.signal<[TurnProgress]>('noteProgress', progress));
  }

  #input(thread_id: string, run: QueuedRun, brief: boolean): ThreadInput {
    const { deployment, lingerMs, heartbeatTimeoutMs, searchAttributes, localMs } = this.#options;
    return {
      deployment,
      thread_id,
      linger_ms: brief ? 0 : lingerMs,
      heartbeat_timeout_ms: heartbeatTimeoutMs,
      search_attributes: searchAttributes,
      ...(localMs > 0 && { local_ms: localMs }),
      noted_run_ids: [run.run_id],
    };
  }

  #searchAttributes(run: QueuedRun): { typedSearchAttributes?: TypedSearchAttributes } {
    if (!this.#options.searchAttributes) return {};
    return {
      typedSearchAttributes: new TypedSearchAttributes([
        { key: DEPLOYMENT, value: this.#options.deployment },
        { key: ASSISTANT, value: run.assistant_id },
        { key: GRAPH, value: run.graph_id },
        { key: RUN_IDS, value: [run.run_id] },
      ]),
    };
  }

  #call<T>(work: () => Promise<T>): Promise<T> {
    return callEngine(this.#options, 'The run queue cannot be reached; try again', work);
  }
}
