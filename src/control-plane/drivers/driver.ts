import type { LogSink } from '../builds/builder.ts';
import type { RevisionRow } from '../revisions/revision.ts';
import type { Secret } from '../secrets/environment.ts';

export interface StartRequest {
  revision: RevisionRow;
  environment: Secret[];
  /** How many of it are to run, 1 or more; all answer when the start resolves. */
  replicas: number;
  log: LogSink;
  /** Aborts when the start is interrupted or out of time: nothing that was started may be left then. */
  signal: AbortSignal;
}

/** Where a started revision answers, as the gateway reaches it; the first of its replicas. */
export interface Instance {
  url: string;
}

/**
 * Runs revisions: processes, containers or pods. Every operation may be repeated, and finds what an earlier one left.
 * Throws StartFailed with what a person needs to know: out of memory, crash loop, not healthy in time. Gateways reach
 * what runs by the rows of control_plane.instance that are `running`, each at its `url`.
 */
export interface Driver {
  /** Resolves when every replica answers `/ok`; those that run already are joined. */
  start(request: StartRequest): Promise<Instance>;
  /**
   * Brings a started revision to so many replicas. Resolves when those asked for answer `/ok`, and those beyond have
   * finished what they had begun; 0 puts it to sleep: nothing of it runs, and it is still the one that serves. An abort
   * gives up waiting, and undoes nothing.
   */
  scale(revisionId: string, replicas: number, options: { signal: AbortSignal }): Promise<void>;
  /** No new work; resolves when what it has begun is finished, or handed back after `timeoutMs`. */
  drain(revisionId: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<void>;
  /** Gone when it resolves, whatever state it was in. */
  stop(revisionId: string): Promise<void>;
  /** Removes everything of a deployment: what runs, its database, its queues. */
  erase(deploymentId: string): Promise<void>;
}
