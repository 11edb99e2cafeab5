/** What crosses Temporal for canaries: ids and small fields only, wire-cased. */

/** Argument of the `watchCanary` workflow. */
export interface CanaryInput {
  revision_id: string;
  deployment_id: string;
  /** Carried over by continue-as-new: the step it is at, since when (ms since 1970), whether it goes on, and what is approved. */
  step?: number;
  step_since?: number;
  paused?: boolean;
  approved?: boolean;
}

export interface CanaryStep {
  /** Of the deployment's threads. */
  percent: number;
  /** How long; null until it is approved. */
  minutes: number | null;
}

export interface CanaryCourse {
  steps: CanaryStep[];
  check_ms: number;
  drain_timeout_ms: number;
}

/** What a look at a canary has shown. */
export interface CanaryVerdict {
  /** Nothing is left to watch: it was decided elsewhere, or removed. */
  ended: boolean;
  /** The figures, for people. */
  summary: string;
  /** Why it must go; null while all is well. */
  breach: string | null;
}

export interface CanaryEnd {
  /** The revision that is no longer needed: the canary, or the one it replaced. */
  retires: string | null;
}
