import type { UpkeepActivities } from '../../workflows/deployments/contracts.ts';
import type { TraceUpkeepActivities, UsageActivities } from '../../workflows/tracing/contracts.ts';
import type { Sweep } from '../platform/sweeps/sweeps.ts';
import type { DataPlaneDeps } from './data-plane.ts';

const HOUR_SECONDS = 3_600;

export function platformSweeps(
  { config }: Pick<DataPlaneDeps, 'config'>,
  upkeep: UpkeepActivities & TraceUpkeepActivities & Pick<UsageActivities, 'sweepUsage'>,
): Sweep[] {
  const { SLIPWAY_SWEEP_SECONDS: often } = config;
  return [
    {
      name: 'revisions',
      everySeconds: often,
      run: async () => ({
        recovered: await upkeep.recoverRevisions(),
        removed: await upkeep.recoverRemovals(),
      }),
    },
    { name: 'orphans', everySeconds: often, run: upkeep.sweepOrphans },
    { name: 'scale', everySeconds: config.SLIPWAY_SCALE_SECONDS, run: upkeep.decideReplicas },
    { name: 'usage', everySeconds: config.SLIPWAY_USAGE_SWEEP_SECONDS, run: upkeep.sweepUsage },
    { name: 'run-minutes', everySeconds: config.SLIPWAY_TRACE_FOLD_SECONDS, run: upkeep.foldRunMinutes },
    { name: 'builds', everySeconds: HOUR_SECONDS, run: upkeep.sweepBuildFolders },
    { name: 'records', everySeconds: HOUR_SECONDS, run: upkeep.sweepRecords },
    { name: 'traces', everySeconds: HOUR_SECONDS, run: upkeep.sweepTraceWeeks },
  ];
}
