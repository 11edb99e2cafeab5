/**
 * What crosses Temporal: ids and small fields only, wire-cased, so that an operator can type them by hand.
 * Inputs, outputs and checkpoints live in Postgres. Fields added later are optional, for work still in flight.
 */

export type CancelAction = 'interrupt' | 'rollback';
export type MultitaskStrategy = 'reject' | 'enqueue' | 'interrupt' | 'rollback';

/** One run as its thread's queue knows it. */
export interface QueuedRun {
  run_id: string;
  graph_id: string;
  assistant_id: string;
  multitask_strategy: MultitaskStrategy;
  /**
   * Queue of the workers that execute it: those of the revision that accepted the run. When nobody is there, the
   * workers on the thread's own queue do.
   */
  task_queue: string;
  /** Most milliseconds from its first start to its end. */
  timeout_ms: number;
  /** Milliseconds since 1970 before which it must not start. */
  due_ms?: number;
  /** True when a webhook is to be sent at its end. */
  webhook?: boolean;
}

/** Argument of the `thread` workflow. */
export interface ThreadInput {
  deployment: string;
  thread_id: string;
  /** How long an idle thread stays open, in milliseconds. */
  linger_ms: number;
  /** How long a worker may be silent before its run goes on elsewhere, in milliseconds. */
  heartbeat_timeout_ms: number;
  /** False where the namespace has no Slipway search attributes. */
  search_attributes: boolean;
  /** Carried over by continue-as-new. */
  runs?: QueuedRun[];
  /** Latest runs that the search attributes already name. */
  noted_run_ids?: string[];
}

/** Argument of the `cancelRun` update and signal. */
export interface CancelRunInput {
  run_id: string;
  action?: CancelAction;
}

/** Answer of the `queue` query. */
export interface ThreadQueueView {
  running: QueuedRun | null;
  queued: QueuedRun[];
}

/** What `executeRun` tells the workflow: the run has its outcome, or the graph has left and the outcome is open. */
export type ExecuteRunResult = 'settled' | 'stopped';

/** Why the workflow ends a run that its activity did not settle. */
export type SettleReason = CancelAction | 'timeout' | 'lost';

export interface RunToExecute {
  run_id: string;
  timeout_ms: number;
}

export interface ExecuteRunInput extends RunToExecute {
  /** Runs that wait right behind it: the activity goes on with them itself for a moment. */
  next?: RunToExecute[];
  /** Names this turn of the thread where there are such; its progress names it too. */
  turn?: number;
}

/** How far a turn of several runs has come: its result, and before that the `noteProgress` signal. */
export interface TurnProgress {
  turn: number;
  /** Runs that have their outcome, in order. */
  settled: string[];
  /** The run that executes; in a result the run whose graph has left while its outcome is open. */
  current?: string;
}

export interface SettleRunInput {
  run_id: string;
  reason: SettleReason;
}

/** Argument of the `fireCron` workflow. */
export interface FireCronInput {
  cron_id: string;
  /** When it fires, as of the schedule that woke it. */
  schedule?: string;
  timezone?: string | null;
}

export interface FireDueInput extends FireCronInput {
  /** The time it was woken for; the moment it was started, when it was by hand. */
  woken_for: string;
}

/** The run that was started, or why there is none. */
export type FireCronResult = { run_id: string } | { skipped: string };

/** Argument of the `sweepThreads` workflow. */
export interface SweepThreadsInput {
  /** Most threads of one turn. */
  limit: number;
}

/** Argument of the `pruneThreads` workflow and of its activity. */
export interface PruneThreadsInput {
  thread_ids: string[];
  strategy: 'delete' | 'keep_latest';
}

/** Argument of the `deliverWebhook` workflow. */
export interface DeliverWebhookInput {
  run_id: string;
}

/** What came of one attempt at a webhook; the result of `deliverWebhook` is the last. */
export interface WebhookAttempt {
  /** `gone`: it was out already. */
  state: 'delivered' | 'waiting' | 'given_up' | 'gone';
  attempt: number;
  /** What the receiver answered, or what went wrong; never its address. */
  note: string;
  /** Milliseconds until the next attempt, where there is to be one. */
  retry_in_ms?: number;
}

/** An attempt as the query `attempts` of `deliverWebhook` tells it. */
export interface AttemptMade extends WebhookAttempt {
  /** When it was over, ISO 8601. */
  at: string;
}
