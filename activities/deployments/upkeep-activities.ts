import { sweepBuilds } from '../../src/control-plane/maintenance/sweep-builds.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { sweepRecords } from '../../src/control-plane/maintenance/sweep-records.ts';
import { recoverLostCanaries } from '../../src/control-plane/canaries/canary-service.ts';
import {
  recoverLostRemovals,
  recoverLostRevisions,
} from '../../src/control-plane/revisions/lost-revisions.ts';
import { type ScaleSweepDeps, sweepScale } from '../../src/control-plane/scaling/scale-sweep.ts';
import type { UpkeepActivities } from '../../workflows/deployments/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

// Longer than a request takes from its transaction to its signal.
const LOST_SECONDS = 30;

export const createUpkeepActivities = (
  deps: ControlPlaneDeps & Pick<ScaleSweepDeps, 'databaseOf'>,
  { forSeconds = LOST_SECONDS } = {},
): UpkeepActivities => ({
  recoverRevisions: () =>
    withHeartbeat(
      async () =>
        (await recoverLostRevisions(deps, { forSeconds })) +
        (await recoverLostCanaries(deps, { forSeconds })),
    ),
  recoverRemovals: () => withHeartbeat(() => recoverLostRemovals(deps, { forSeconds })),
  sweepBuildFolders: () => withHeartbeat(() => sweepBuilds(deps.db, deps.config)),
  sweepRecords: () => withHeartbeat(() => sweepRecords(deps)),
  decideReplicas: () => withHeartbeat(() => sweepScale(deps)),
});
