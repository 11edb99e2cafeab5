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
  /** Longest wait for somebody to approve it; without one nobody has to. */
  approval_timeout_ms?: number;
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

/**
 * Argument of the `reviseDeployment` workflow, typed by hand by whoever starts it (docs/ci.md). No value of a secret may
 * be in it: what goes through a workflow stays in its history.
 */
export interface ReviseDeploymentInput {
  deployment_id?: string;
  /** Instead of the id. */
  name?: string;
  /** Needed where two tenants have a deployment of that name. */
  tenant_id?: string;
  repo_ref?: string;
  graph_config_path?: string;
  image_uri?: string;
  source_tarball_path?: string;
  /** Deploys again what this revision was built into: a rollback. */
  redeploy_revision_id?: string;
  /** Why, for the timeline. */
  reason?: string;
  /** Whether to end when the revision has; true where nothing is said. */
  wait?: boolean;
}

/** A revision that a workflow made. */
export interface MadeRevision {
  deployment_id: string;
  revision_id: string;
}

/** Result of the `reviseDeployment` workflow, and the detail of its failure. */
export interface ReviseDeploymentResult extends MadeRevision {
  status: string;
  status_message: string | null;
  /** Where the deployment answers; null before its first revision has served. */
  url: string | null;
}

/** Argument of the `retirement` workflow. */
export interface RetirementInput {
  revision_id: string;
  /** How long it may go on with what it has begun. */
  timeout_ms: number;
  /** Nothing it has begun is waited for. */
  is_now?: boolean;
}

/** A watched activity ends itself this long before Temporal would give it up, and try it again. */
export const WATCH_SLACK_MS = 10_000;

/** A step in the database takes moments: a worker that died with one is not waited for any longer. */
export const STEP_TIMEOUT = '10 seconds';
/** How long a worker that ends processes may be silent. */
export const STOP_HEARTBEAT = '5 seconds';
