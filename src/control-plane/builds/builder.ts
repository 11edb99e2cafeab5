import type { RevisionRow } from '../revisions/revision.ts';
import type { Secret } from '../secrets/environment.ts';
import type { LentCredentials } from './git-credentials.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/** Where the lines of a build or of what runs go; kept, and shown live. */
export type LogSink = (message: string, level?: LogLevel) => void;

export interface BuildRequest {
  revision: RevisionRow;
  environment: Secret[];
  /** Of the integration the deployment names, for fetching its source. */
  credentials?: LentCredentials | undefined;
  log: LogSink;
  /** Aborts when the build is interrupted or out of time: everything it started must be gone when it rejects. */
  signal: AbortSignal;
}

export interface Built {
  /** Content address: `sha256:…`. */
  artifact: string;
  /** The project has authentication of its own. */
  own_auth?: boolean;
  repo_commit_sha?: string | undefined;
}

/** Makes an immutable artifact of a revision's source. Throws BuildFailed with a line a person can act on. */
export interface Builder {
  build(request: BuildRequest): Promise<Built>;
}
