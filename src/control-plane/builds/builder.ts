import type { LogSink } from '../log.ts';
import type { RevisionRow } from '../records/revision.ts';
import type { Secret } from '../secrets/environment.ts';
import type { LentCredentials } from './git-credentials.ts';

export interface BuildRequest {
  revision: RevisionRow;
  environment: Secret[];
  /** From the deployment's integration, for fetching its source. */
  credentials?: LentCredentials | undefined;
  log: LogSink;
  /** Aborts on interrupt or timeout: nothing the build started may survive the rejection. */
  signal: AbortSignal;
}

export interface Built {
  /** Content address: `sha256:…`. */
  artifact: string;
  /** Whether the project brings its own authentication. */
  own_auth?: boolean;
  repo_commit_sha?: string | undefined;
}

/** Builds an immutable artifact from a revision's source. Throws BuildFailed with an actionable message. */
export interface Builder {
  build(request: BuildRequest): Promise<Built>;
}
