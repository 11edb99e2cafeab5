/** Argument of the `commitStatus` workflow. */
export interface CommitStatusInput {
  revision_id: string;
  /** Carried over by continue-as-new. */
  told?: string | undefined;
}

/** What a git host was told of a commit. */
export interface CommitReport {
  /** In the host's word. */
  state: string;
  is_final: boolean;
}
