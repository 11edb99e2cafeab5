import type { RevisionStatus } from '../records/revision-lifecycle.ts';

/** A commit's status in each host's vocabulary. */
export interface CommitState {
  github: 'pending' | 'success' | 'failure' | 'error';
  gitlab: 'pending' | 'running' | 'success' | 'failed' | 'canceled';
  description: string;
  /** No other status follows. */
  is_final: boolean;
}

const state = (
  github: CommitState['github'],
  gitlab: CommitState['gitlab'],
  description: string,
): CommitState => ({ github, gitlab, description, is_final: github !== 'pending' });

const STATES: Record<RevisionStatus, CommitState> = {
  CREATING: state('pending', 'pending', 'waits for its turn'),
  QUEUED: state('pending', 'pending', 'waits for its turn'),
  AWAITING_BUILD: state('pending', 'pending', 'waits for a builder'),
  BUILDING: state('pending', 'running', 'is being built'),
  AWAITING_DEPLOY: state('pending', 'running', 'is built'),
  DEPLOYING: state('pending', 'running', 'is starting'),
  DEPLOYED: state('success', 'success', 'is deployed'),
  UNKNOWN: state('success', 'success', 'is deployed'),
  CREATE_FAILED: state('failure', 'failed', 'could not be created'),
  BUILD_FAILED: state('failure', 'failed', 'could not be built'),
  DEPLOY_FAILED: state('failure', 'failed', 'could not be started'),
  SKIPPED: state('error', 'canceled', 'was superseded by a newer revision'),
  INTERRUPTED: state('error', 'canceled', 'was interrupted'),
};

export const commitState = (status: RevisionStatus): CommitState => STATES[status];
