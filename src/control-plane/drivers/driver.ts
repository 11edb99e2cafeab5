import type { LogSink } from '../builds/builder.ts';
import type { RevisionRow } from '../revisions/revision.ts';
import type { Secret } from '../secrets/environment.ts';

export interface StartRequest {
  revision: RevisionRow;
  environment: Secret[];
  log: LogSink;
  /** Aborts when the start is interrupted or out of time: nothing that was started may be left then. */
  signal: AbortSignal;
}

/** Where a started revision answers, as the gateway reaches it. */
export interface Instance {
  url: string;
}

/**
 * Runs revisions: processes, containers or pods. Every operation may be repeated, and finds what an earlier one left.
 * Throws StartFailed with what a person needs to know: out of memory, crash loop, not healthy in time.
 */
export interface Driver {
  /** Resolves when the revision answers `/ok`; one that runs already is joined. */
  start(request: StartRequest): Promise<Instance>;
  /** No new work; resolves when what it has begun is finished, or handed back after `timeoutMs`. */
  drain(revisionId: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<void>;
  /** Gone when it resolves, whatever state it was in. */
  stop(revisionId: string): Promise<void>;
  /** Removes everything of a deployment: what runs, its database, its queues. */
  erase(deploymentId: string): Promise<void>;
}
