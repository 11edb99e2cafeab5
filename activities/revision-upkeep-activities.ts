import { recoverLostCanaries } from '../src/control-plane/canaries/canary-service.ts';
import type { ControlPlaneDeps } from '../src/control-plane/control-plane-deps.ts';
import { recoverLostRemovals, recoverLostRevisions } from '../src/control-plane/revisions/lost-revisions.ts';
import { beating } from './beating.ts';

export type RevisionUpkeepActivities = ReturnType<typeof createRevisionUpkeepActivities>;

/** Quiet for this long is lost: longer than a request takes from its transaction to its signal. */
const LOST_SECONDS = 30;

export const createRevisionUpkeepActivities = (
  deps: Pick<ControlPlaneDeps, 'db' | 'workflows'>,
  { forSeconds = LOST_SECONDS } = {},
) => ({
  /** Canaries are revisions that go on. */
  recoverRevisions: (): Promise<number> =>
    beating(
      async () =>
        (await recoverLostRevisions(deps, { forSeconds })) +
        (await recoverLostCanaries(deps, { forSeconds })),
    ),
  recoverRemovals: (): Promise<number> => beating(() => recoverLostRemovals(deps, { forSeconds })),
});
