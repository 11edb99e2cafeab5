/** What crosses Temporal for deployments, revisions and canaries: ids and small wire-cased fields. */

/** Argument of the `deployment` workflow. */
export interface DeploymentInput {
  deployment_id: string;
  /** Task queue of the workers that build. */
  build_queue: string;
  /** Carried over by continue-as-new. */
  revisions?: SubmittedRevision[];
}

export type DeploymentWorkflow = (input: DeploymentInput) => Promise<void>;

/** Argument of the `submitRevision` signal. */
export interface SubmittedRevision {
  revision_id: string;
  /** A newer revision doesn't supersede it. */
  pinned: boolean;
}

/** Argument of the `revision` workflow. */
export interface RevisionInput {
  revision_id: string;
  deployment_id: string;
  build_queue: string;
}

/** Returns the revision's final status. */
export type RevisionWorkflow = (input: RevisionInput) => Promise<string>;

/** What a revision needs before it can serve. */
export interface RevisionSteps {
  /** False when its artifact exists already. */
  builds: boolean;
  build_timeout_ms: number;
  /** Longest wait for a free builder or a data plane. */
  pickup_timeout_ms: number;
  deploy_timeout_ms: number;
  drain_timeout_ms: number;
  /** Longest wait for approval; unset when none is required. */
  approval_timeout_ms?: number;
  /** Shares builders fairly between tenants. */
  build_priority?: BuildPriority;
  /** Starts as a canary next to the active revision. */
  canary?: boolean;
}

export interface BuildPriority {
  tenant_id: string;
  /** 1 to 5; lower goes first. Grows with the tenant's builds under way. */
  level: number;
}

export interface RevisionStep {
  revision_id: string;
  /** `FAILED` means the failure that follows the current status. */
  status: string;
  message?: string;
  /** A revision of another deployment stays as it is. */
  deployment_id?: string;
}

interface Revision {
  revision_id: string;
}

/** Every activity may be repeated: it finds what an earlier attempt did. */
export interface RevisionActivities {
  planRevision(input: Revision): Promise<RevisionSteps>;
  /** Returns the status after the step. */
  stepRevision(input: RevisionStep): Promise<string>;
  approveRevision(input: Revision & { by?: string }): Promise<void>;
  buildRevision(input: Revision): Promise<void>;
  deployRevision(input: Revision): Promise<void>;
  /** Moves traffic to the revision; returns the revision that served before. */
  cutOver(input: Revision & { deployment_id: string }): Promise<string | null>;
  drainRevision(input: Revision & { timeout_ms: number }): Promise<void>;
  stopRevision(input: Revision & { deployment_id?: string }): Promise<void>;
  isBeingDeleted(input: { deployment_id: string }): Promise<boolean>;
  eraseDeployment(input: { deployment_id: string }): Promise<void>;
}

/**
 * Argument of the `reviseDeployment` workflow, typed by hand (docs/ci.md). It must not contain secrets: workflow
 * arguments stay in the history.
 */
export interface ReviseDeploymentInput {
  deployment_id?: string;
  /** Instead of the id. */
  name?: string;
  /** Needed when two tenants use the same name. */
  tenant_id?: string;
  repo_ref?: string;
  graph_config_path?: string;
  image_uri?: string;
  source_tarball_path?: string;
  /** Deploys this revision's artifact again: a rollback. */
  redeploy_revision_id?: string;
  /** Shown in the timeline. */
  reason?: string;
  /** Waits until the revision ends. Defaults to true. */
  wait?: boolean;
}

export interface MadeRevision {
  deployment_id: string;
  revision_id: string;
}

/** Result of the `reviseDeployment` workflow, and the details of its failure. */
export interface ReviseDeploymentResult extends MadeRevision {
  status: string;
  status_message: string | null;
  /** The deployment's address; null until its first revision has served. */
  url: string | null;
}

/** What the activities of one `reviseDeployment` agree on before they make the revision, so that a retry makes the same. */
export interface RevisionDraft {
  deployment_id: string;
  tenant_id: string;
  /** The revision's id derives from it. */
  seed: string;
}

export interface ReviseActivities {
  draftRevision(input: ReviseDeploymentInput): Promise<RevisionDraft>;
  makeRevision(input: { input: ReviseDeploymentInput; draft: RevisionDraft }): Promise<MadeRevision>;
  /** Returns when the revision ends, or after a while. */
  watchRevision(
    input: MadeRevision & { waits: boolean },
  ): Promise<ReviseDeploymentResult & { has_ended: boolean }>;
}

/** Argument of the `retirement` workflow. */
export interface RetirementInput {
  revision_id: string;
  /** Longest time to finish its runs. */
  timeout_ms: number;
  /** Stops without waiting for its runs. */
  is_now?: boolean;
}

/** Argument of the `watchCanary` workflow. */
export interface CanaryInput {
  revision_id: string;
  deployment_id: string;
  /** These are carried over by continue-as-new: the current step, and its start in milliseconds since 1970. */
  step?: number;
  step_since?: number;
  paused?: boolean;
  approved?: boolean;
}

/** Returns how the canary ended. */
export type WatchCanaryWorkflow = (input: CanaryInput) => Promise<string>;

export interface CanaryStep {
  /** Share of the deployment's threads. */
  percent: number;
  /** Length of the step; null waits for approval. */
  minutes: number | null;
}

export interface CanaryCourse {
  steps: CanaryStep[];
  check_ms: number;
  drain_timeout_ms: number;
}

/** Result of one check of a canary. */
export interface CanaryVerdict {
  /** Nothing left to watch: decided elsewhere, or deleted. */
  ended: boolean;
  /** The figures as Markdown. */
  summary: string;
  /** Why the canary must be aborted; null while it is healthy. */
  breach: string | null;
}

export interface CanaryEnd {
  /** The revision to retire: the canary, or the revision it replaced. */
  retires: string | null;
}

export interface CanaryActivities {
  /** Makes a healthy revision a canary. False when no other revision serves: it takes over instead. */
  beginCanary(input: Revision): Promise<boolean>;
  planCanary(input: Revision): Promise<CanaryCourse>;
  /** Compares the canary's figures with the active revision's. */
  judgeCanary(input: Revision): Promise<CanaryVerdict>;
  /** Sets a step's share; the first step keeps a share set by hand. */
  shareCanary(input: Revision & { percent: number; is_first?: boolean }): Promise<void>;
  /** Moves traffic; returns the revision to retire. */
  endCanary(input: Revision & { outcome: 'promoted' | 'aborted'; reason: string }): Promise<CanaryEnd>;
}

/** Argument of the `commitStatus` workflow. */
export interface CommitStatusInput {
  revision_id: string;
  /** Last reported state; carried over by continue-as-new. */
  reported?: string | undefined;
}

/** What the git host now shows for the commit. */
export interface CommitReport {
  /** In the host's own vocabulary. */
  state: string;
  is_final: boolean;
}

export type CommitStatusWorkflow = (input: CommitStatusInput) => Promise<CommitReport>;

export interface CommitStatusActivities {
  /** Reports the revision's status to the git host; retried unless the host refuses it for good. */
  reportCommit(input: CommitStatusInput): Promise<CommitReport>;
}

/** Activities of the platform's periodic sweeps. */
export interface UpkeepActivities {
  recoverRevisions(): Promise<number>;
  recoverRemovals(): Promise<number>;
  /** Removes leftovers of builds on this machine. */
  sweepBuildFolders(): Promise<object>;
  /** Removes old log lines, git-host events and orphaned previews. */
  sweepRecords(): Promise<object>;
  /** Scales revisions up, down and to zero. */
  decideReplicas(): Promise<object>;
}

/** A watched activity ends itself this long before its Temporal timeout, which would retry it. */
export const WATCH_SLACK_MS = 10_000;
/** Short, so that a step lost with its worker is retried soon. */
export const STEP_TIMEOUT = '10 seconds';
/** Longest silence of a worker that stops processes. */
export const STOP_HEARTBEAT = '5 seconds';
