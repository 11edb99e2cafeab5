import type { CanaryActivities } from '../../workflows/deployments/contracts.ts';
import { toActivityFailure } from './activity-failure.ts';
import type { CanaryWork } from './canary-work.ts';

export const createCanaryActivities = (work: CanaryWork): CanaryActivities => ({
  beginCanary: ({ revision_id }) => toActivityFailure(work.begin(revision_id)),
  planCanary: ({ revision_id }) => toActivityFailure(work.plan(revision_id)),
  judgeCanary: ({ revision_id }) => toActivityFailure(work.judge(revision_id)),
  shareCanary: ({ revision_id, percent, is_first = false }) =>
    toActivityFailure(work.share(revision_id, percent, is_first)),
  endCanary: ({ revision_id, outcome, reason }) => toActivityFailure(work.end(revision_id, outcome, reason)),
});
