import type { ControlPlaneDeps } from '../src/control-plane/control-plane-deps.ts';
import { recoverLostRemovals, recoverLostRevisions } from '../src/control-plane/revisions/lost-revisions.ts';

export type RevisionUpkeepActivities = ReturnType<typeof createRevisionUpkeepActivities>;

/** Quiet for this long is lost: longer than a request takes from its transaction to its signal. */
const LOST_SECONDS = 30;

export const createRevisionUpkeepActivities = (
  deps: Pick<ControlPlaneDeps, 'db' | 'workflows'>,
  { forSeconds = LOST_SECONDS } = {},
) => ({
  recoverRevisions: (): Promise<number> => recoverLostRevisions(deps, { forSeconds }),
  recoverRemovals: (): Promise<number> => recoverLostRemovals(deps, { forSeconds }),
});
