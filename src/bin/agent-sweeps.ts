import { createCronActivities } from '../../activities/runs/cron-activities.ts';
import { createMaintenanceActivities } from '../../activities/runs/maintenance-activities.ts';
import type { AgentDeps } from '../agent-server/agent-deps.ts';
import type { Sweep } from '../platform/sweeps/sweeps.ts';

const DEFAULT_MINUTES = 5;
const DEFAULT_LIMIT = 1000;

/** Sweeps of an agent server: runs at its own interval, TTLs at the interval in the project's configuration. */
export function agentSweeps(deps: AgentDeps): Sweep[] {
  const { checkpointer, store } = deps.project.config;
  const { sweep_interval_minutes: threads = DEFAULT_MINUTES, sweep_limit: limit = DEFAULT_LIMIT } =
    checkpointer?.ttl ?? {};
  const { sweep_interval_minutes: items = DEFAULT_MINUTES } = store?.ttl ?? {};
  const { adoptOrphans, expireRows, expireThreads, expireItems } = createMaintenanceActivities(deps);
  const { reconcileCrons } = createCronActivities(deps);
  return [
    {
      name: 'runs',
      everySeconds: deps.config.SLIPWAY_SWEEP_SECONDS,
      run: async () => {
        const adopted = await adoptOrphans();
        const expired = await expireRows();
        // Expired threads take their crons with them.
        return { ...adopted, expired, crons: await reconcileCrons() };
      },
    },
    { name: 'threads', everySeconds: threads * 60, run: () => expireThreads({ limit }) },
    { name: 'items', everySeconds: items * 60, run: expireItems },
  ];
}
