import type { LogSink } from '../log.ts';
import type { RevisionRow } from '../records/revision.ts';
import type { Secret } from '../secrets/environment.ts';

export interface StartRequest {
  revision: RevisionRow;
  environment: Secret[];
  /** Wanted number of replicas, at least 1; all answer when the start resolves. */
  replicas: number;
  log: LogSink;
  /** Aborts when the start is interrupted or times out; then nothing that was started may remain. */
  signal: AbortSignal;
}

/** Address at which the gateway reaches a started revision: that of its first replica. */
export interface Instance {
  url: string;
}

/**
 * Runs revisions as processes, containers or pods. All operations can be repeated and pick up where an earlier one
 * stopped. They throw StartFailed with a reason for users: out of memory, crash loop, not healthy in time. Gateways
 * route to the rows of control_plane.instance that are `running`, each at its `url`.
 */
export interface Driver {
  /** Resolves when all replicas answer `/ok`. Joins replicas that are running already. */
  start(request: StartRequest): Promise<Instance>;
  /**
   * Scales a started revision. Resolves when the wanted replicas answer `/ok` and surplus ones have finished their
   * work. 0 puts the revision to sleep: nothing of it runs, but it stays active. An abort only stops waiting.
   */
  scale(revisionId: string, replicas: number, options: { signal: AbortSignal }): Promise<void>;
  /** Stops new work. Resolves when work in progress is finished, or handed back after `timeoutMs`. */
  drain(revisionId: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<void>;
  /** Removes a revision's instances, in whatever state they are. */
  stop(revisionId: string): Promise<void>;
  /** Removes everything of a deployment: its instances, database and queues. */
  erase(deploymentId: string): Promise<void>;
}
