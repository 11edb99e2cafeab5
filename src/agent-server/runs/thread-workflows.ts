import { type Client, WorkflowNotFoundError } from '@temporalio/client';
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

export interface ThreadWorkflowsOptions {
  client: Client;
  deployment: string;
  /** Of the deployment: whatever revision serves works on it. */
  taskQueue: string;
  /** Where the runs accepted here are executed. */
  runQueue: string;
  lingerMs: number;
  heartbeatTimeoutMs: number;
  searchAttributes: boolean;
  /** Longest a call may take before the caller hears 503. */
  deadlineMs: number;
}

/** The door to the `thread` workflows: one per thread, started when it gets a run. */
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
   * Puts the run in its thread's queue: durable when it returns, whether or not a worker is there to take it. Sending
   * it again changes nothing. `brief`: a queue opened for it does not linger, as most threads run once, or minutes
   * apart. Throws Unavailable.
   */
  async enqueue(threadId: string, run: QueuedRun, { brief = false } = {}): Promise<void> {
    const { client, taskQueue } = this.#options;
    await this.#call(() =>
      client.workflow.signalWithStart<ThreadWorkflow, [QueuedRun]>('thread', {
        taskQueue,
        workflowId: this.workflowId(threadId),
        args: [this.#input(threadId, run, brief)],
        signal: 'enqueueRun',
        signalArgs: [run],
        staticSummary: `thread ${threadId}`,
        ...this.#searchAttributes(run),
      }),
    );
  }

  /** Asks the thread's queue to stop the run. Returns false when the thread has no open queue. Throws Unavailable. */
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

  /** Tells an open queue which of its runs executes. Throws WorkflowNotFoundError and Unavailable. */
  async noteProgress(
    { workflowId, runId }: { workflowId: string; runId: string },
    progress: TurnProgress,
  ): Promise<void> {
    const handle = this.#options.client.workflow.getHandle<ThreadWorkflow>(workflowId, runId);
    await this.#call(() => handle.signal<[TurnProgress]>('noteProgress', progress));
  }

  #input(thread_id: string, run: QueuedRun, brief: boolean): ThreadInput {
    const { deployment, lingerMs, heartbeatTimeoutMs, searchAttributes } = this.#options;
    return {
      deployment,
      thread_id,
      linger_ms: brief ? 0 : lingerMs,
      heartbeat_timeout_ms: heartbeatTimeoutMs,
      search_attributes: searchAttributes,
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
