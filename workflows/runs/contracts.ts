/**
 * What crosses Temporal for runs: ids and small wire-cased fields, so that an operator can type them by hand.
 * Inputs, outputs and checkpoints stay in Postgres. New fields are optional, because older work is still in flight.
 */

export type CancelAction = 'interrupt' | 'rollback';
export type MultitaskStrategy = 'reject' | 'enqueue' | 'interrupt' | 'rollback';

/** A run in its thread's queue. */
export interface QueuedRun {
  run_id: string;
  graph_id: string;
  assistant_id: string;
  multitask_strategy: MultitaskStrategy;
  /** Task queue of the revision that accepted the run. If it has no workers left, the thread's own queue takes over. */
  task_queue: string;
  /** Time limit in milliseconds, from the run's first start to its end. */
  timeout_ms: number;
  /** Earliest start, in milliseconds since 1970. */
  due_ms?: number;
  /** Whether a webhook follows the run. */
  webhook?: boolean;
}

/** Argument of the `thread` workflow. */
export interface ThreadInput {
  deployment: string;
  thread_id: string;
  /** How long an idle thread stays open, in milliseconds. */
  linger_ms: number;
  /** Worker silence after which a run moves to another worker, in milliseconds. */
  heartbeat_timeout_ms: number;
  /** False where the namespace lacks the Slipway search attributes. */
  search_attributes: boolean;
  /** Carried over by continue-as-new. */
  runs?: QueuedRun[];
  /** Latest run ids in the search attributes; carried over by continue-as-new. */
  noted_run_ids?: string[];
  /** Milliseconds a turn may take within a workflow task. Absent: all runs execute in regular activities. */
  local_ms?: number;
}

export type ThreadWorkflow = (input: ThreadInput) => Promise<void>;

/** Argument of the `cancelRun` update and signal. */
export interface CancelRunInput {
  run_id: string;
  action?: CancelAction;
}

/** Answer to the `queue` query. */
export interface ThreadQueueView {
  running: QueuedRun | null;
  queued: QueuedRun[];
}

/** `settled`: the run has its outcome. `stopped`: the graph left and the workflow must settle the run. */
export type ExecuteRunResult = 'settled' | 'stopped';

/** Why the workflow settles a run that its activity did not. */
export type SettleReason = CancelAction | 'timeout' | 'lost';

export interface RunToExecute {
  run_id: string;
  timeout_ms: number;
}

export interface ExecuteRunInput extends RunToExecute {
  /** Runs queued directly behind this one; the activity may execute them too. */
  next?: RunToExecute[];
  /** Number of the turn. */
  turn?: number;
}

export interface ExecuteLocallyInput extends ExecuteRunInput {
  /** Task queue of the revision that accepted the runs; workers of another one decline. */
  task_queue: string;
  local_ms: number;
}

/** Progress of a turn with several runs: the activity's result, and the `noteProgress` signal before it. */
export interface TurnProgress {
  turn: number;
  /** Settled runs, in order. */
  settled: string[];
  /** The run that executes; in a result, the run whose graph left without an outcome. */
  current?: string;
  /** Another run of the thread was accepted; its signal is on its way. */
  more?: boolean;
}

export interface LocalTurn extends TurnProgress {
  /** Task queue of the process in which `current` continues. */
  process_queue?: string;
}

export interface SettleRunInput {
  run_id: string;
  reason: SettleReason;
}

export interface RunActivities {
  /** Drives the run's graph from its last checkpoint to its outcome, then briefly the runs queued behind it. */
  executeRun(input: ExecuteRunInput): Promise<ExecuteRunResult | TurnProgress>;
  /**
   * The same as a local activity. After `local_ms` it returns, and the run continues until `executeRun` joins it
   * through the task queue of the process.
   */
  executeLocally(input: ExecuteLocallyInput): Promise<LocalTurn | 'declined'>;
  /** Settles a run that no activity settled: stopped, displaced, timed out or lost. */
  settleRun(input: SettleRunInput): Promise<void>;
}

/** Argument of the `fireCron` workflow. */
export interface FireCronInput {
  cron_id: string;
  /** Cron expression of the schedule that fired. */
  schedule?: string;
  timezone?: string | null;
}

export interface FireDueInput extends FireCronInput {
  /** Scheduled time; when started by hand, the start time. ISO 8601. */
  woken_for: string;
}

/** The run that was started, or why none was. */
export type FireCronResult = { run_id: string } | { skipped: string };

export interface CronActivities {
  /** Starts the cron's run if one is due. */
  fireDue(input: FireDueInput): Promise<FireCronResult>;
  /** Brings crons and their Schedules in line, and fires what no Schedule fired. */
  reconcileCrons(): Promise<object>;
}

/** Argument of the `sweepThreads` workflow. */
export interface SweepThreadsInput {
  /** Most threads removed in one pass. */
  limit: number;
}

/** Argument of the `pruneThreads` workflow and its activity. */
export interface PruneThreadsInput {
  thread_ids: string[];
  strategy: 'delete' | 'keep_latest';
}

/** Returns the number of pruned threads. */
export type PruneThreadsWorkflow = (input: PruneThreadsInput) => Promise<number>;

export interface MaintenanceActivities {
  /**
   * Requeues runs that lost their queue, settles runs an operator terminated, resumes abandoned deletions, and
   * sends undelivered webhooks.
   */
  adoptOrphans(): Promise<{ adopted: number; settled: number; webhooks: number }>;
  /** Removes expired events, abandoned webhooks, and the threads of stateless runs. */
  expireRows(): Promise<{ events: number; threads: number }>;
  /** Deletes or prunes threads past their TTL. */
  expireThreads(input: SweepThreadsInput): Promise<{ deleted: number; pruned: number }>;
  /** Deletes store items past their TTL. */
  expireItems(): Promise<{ items: number }>;
  /** Deletes or prunes threads; missing threads don't count. */
  pruneBatch(input: PruneThreadsInput): Promise<number>;
}

/** Argument of the `deliverWebhook` workflow. */
export interface DeliverWebhookInput {
  run_id: string;
}

/** Outcome of one delivery attempt; `deliverWebhook` returns the last. */
export interface WebhookAttempt {
  /** `gone`: an earlier attempt delivered it. */
  state: 'delivered' | 'waiting' | 'given_up' | 'gone';
  attempt: number;
  /** The receiver's answer or the error; never its address. */
  note: string;
  /** Milliseconds until the next attempt, if there is one. */
  retry_in_ms?: number;
}

/** One entry of the `attempts` query of `deliverWebhook`. */
export interface AttemptMade extends WebhookAttempt {
  /** End of the attempt, ISO 8601. */
  at: string;
}

export type DeliverWebhookWorkflow = (input: DeliverWebhookInput) => Promise<WebhookAttempt>;

export interface WebhookActivities {
  /** One delivery attempt. The receiver's answer is the result, never a failure. */
  postWebhook(input: DeliverWebhookInput): Promise<WebhookAttempt>;
}
