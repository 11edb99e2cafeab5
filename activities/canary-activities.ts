import type { CanaryWork } from '../src/control-plane/canaries/canary-work.ts';
import type { CanaryCourse, CanaryEnd, CanaryVerdict } from '../workflows/canary-contracts.ts';
import { redactFailure } from './revision-activities.ts';

export type CanaryActivities = ReturnType<typeof createCanaryActivities>;

interface Named {
  revision_id: string;
}

export const createCanaryActivities = (work: CanaryWork) => ({
  /** Makes a healthy revision a canary; false where it has none to be tried beside, and takes over. */
  beginCanary: ({ revision_id }: Named): Promise<boolean> => redactFailure(work.begin(revision_id)),

  planCanary: ({ revision_id }: Named): Promise<CanaryCourse> => redactFailure(work.plan(revision_id)),

  /** Reads what was counted, and compares. */
  judgeCanary: ({ revision_id }: Named): Promise<CanaryVerdict> => redactFailure(work.judge(revision_id)),

  /** The share of a step; that of the first leaves what was set by hand. */
  shareCanary: ({
    revision_id,
    percent,
    is_first = false,
  }: Named & { percent: number; is_first?: boolean }): Promise<void> =>
    redactFailure(work.share(revision_id, percent, is_first)),

  /** Moves traffic; returns which revision may be retired. */
  endCanary: ({
    revision_id,
    outcome,
    reason,
  }: Named & { outcome: 'promoted' | 'aborted'; reason: string }): Promise<CanaryEnd> =>
    redactFailure(work.end(revision_id, outcome, reason)),
});
