import type { Database } from '../../platform/db/database.ts';
import { forgetSessions } from '../access/session-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { removeDeployment } from '../deployments/deployment-service.ts';
import { forgetDeliveries } from '../git-events/delivery-repository.ts';
import { removeOldLines } from '../logs/log-repository.ts';
import { listOldPreviews } from '../previews/preview-repository.ts';

/** What was removed, by kind. */
export interface SweptRecords {
  log_lines: number;
  deliveries: number;
  previews: number;
  sessions: number;
}

/** Removes what was kept for a while alone; it may run anywhere, and twice at once. */
export async function sweepRecords(deps: ControlPlaneDeps): Promise<SweptRecords> {
  const { db, config } = deps;
  return {
    log_lines: await sweepLines(db, config.SLIPWAY_LOG_DAYS),
    // What is older than half of this is not believed any more, so nothing that is forgotten can come again.
    deliveries: await forgetDeliveries(db, 2 * config.SLIPWAY_GIT_EVENT_SECONDS),
    previews: await sweepPreviews(deps),
    sessions: await forgetSessions(db),
  };
}

async function sweepLines(db: Database, days: number): Promise<number> {
  for (let removed = 0; ;) {
    const { removed: some, isDone } = await removeOldLines(db, days);
    removed += some;
    if (isDone) return removed;
  }
}

/** The end of their pull requests may have been told while nobody listened. */
async function sweepPreviews(deps: ControlPlaneDeps): Promise<number> {
  const old = await listOldPreviews(deps.db, deps.config.SLIPWAY_PREVIEW_DAYS);
  for (const { id, tenant_id } of old)
    await removeDeployment(deps, { tenant_id, name: 'sweep', role: 'deployer' }, id);
  return old.length;
}
