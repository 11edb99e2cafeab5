/** What crosses Temporal for deployments and their revisions: ids and small fields only, wire-cased. */

/** Argument of the `deployment` workflow. */
export interface DeploymentInput {
  deployment_id: string;
  /** Task queue of the workers that build. */
  build_queue: string;
  /** Carried over by continue-as-new. */
  revisions?: SubmittedRevision[];
}

/** Argument of the `submitRevision` signal. */
export interface SubmittedRevision {
  revision_id: string;
  /** Never skipped for a newer one. */
  pinned: boolean;
}

/** Argument of the `revision` workflow. */
export interface RevisionInput {
  revision_id: string;
  deployment_id: string;
  build_queue: string;
}

/** What a revision needs before it can serve: nothing of it is built twice. */
export interface RevisionSteps {
  builds: boolean;
  build_timeout_ms: number;
  /** Longest wait for a free builder, and for a data plane that takes it. */
  pickup_timeout_ms: number;
  deploy_timeout_ms: number;
  drain_timeout_ms: number;
  /** Whose turn it is when builders are few: tenants share them, whatever each has waiting. */
  build_priority?: BuildPriority;
  /** It is tried beside the one that serves. */
  canary?: boolean;
}

export interface BuildPriority {
  tenant_id: string;
  /** 1 to 5, lower goes first: the more a tenant has under way, the later its next one comes. */
  level: number;
}

/** Argument of the `retirement` workflow. */
export interface RetirementInput {
  revision_id: string;
  /** How long it may go on with what it has begun. */
  timeout_ms: number;
}

/** A watched activity ends itself this long before Temporal would give it up, and try it again. */
export const WATCH_SLACK_MS = 10_000;
