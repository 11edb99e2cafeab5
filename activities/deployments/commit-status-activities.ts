import { reportCommit } from '../../src/control-plane/commit-status/commit-report.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { PublicError } from '../../src/platform/errors.ts';
import type { CommitStatusActivities } from '../../workflows/deployments/contracts.ts';
import { activityFailure } from './activity-failure.ts';

export const createCommitStatusActivities = (
  deps: Pick<ControlPlaneDeps, 'config' | 'db' | 'box' | 'log'>,
): CommitStatusActivities => ({
  async reportCommit(input) {
    try {
      return await reportCommit(deps, input);
    } catch (error) {
      if (error instanceof PublicError)
        throw activityFailure(error.message, 'CommitNotReported', error.status < 500);
      deps.log.warn({ err: error, ...input }, 'could not report a commit status');
      // Network errors may name hosts.
      throw activityFailure('The git host cannot be reached', 'CommitNotReported', false);
    }
  },
});
