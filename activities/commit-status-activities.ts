import { ApplicationFailure } from '@temporalio/activity';
import { reportCommit } from '../src/control-plane/commit-status/commit-report.ts';
import type { ControlPlaneDeps } from '../src/control-plane/control-plane-deps.ts';
import { PublicError } from '../src/platform/errors.ts';
import type { CommitReport, CommitStatusInput } from '../workflows/commit-status-contracts.ts';

export type CommitStatusActivities = ReturnType<typeof createCommitStatusActivities>;

export const createCommitStatusActivities = (
  deps: Pick<ControlPlaneDeps, 'config' | 'db' | 'box' | 'log'>,
) => ({
  /** Tells the git host how far the revision is now; repeated until the host takes it, or refuses it for good. */
  async reportCommit(input: CommitStatusInput): Promise<CommitReport> {
    try {
      return await reportCommit(deps, input);
    } catch (error) {
      const told = error instanceof PublicError;
      if (!told) deps.log.warn({ err: error, ...input }, 'a git host could not be told of a commit');
      // What the network says may name hosts.
      const message = told ? error.message : 'The git host cannot be reached';
      const nonRetryable = told && error.status < 500;
      const failure = ApplicationFailure.create({ message, type: 'CommitNotReported', nonRetryable });
      failure.stack = '';
      throw failure;
    }
  },
});
