import type { Database } from '../../platform/db/database.ts';
import { forgetSessions } from '../access/session-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { removeDeployment } from '../deployments/deployment-service.ts';
import { forgetDeliveries } from '../git-events/delivery-repository.ts';
import { removeOldLines } from '../logs/log-repository.ts';
import { listOldPreviews } from '../records/preview-repository.ts';

/** Deleted records, by kind. */
export interface SweptRecords {
  log_lines: number;
  deliveries: number;
  previews: number;
  sessions: number;
}

/** Deletes records past their retention. Safe to run concurrently. */
export async function sweepRecords(deps: ControlPlaneDeps): Promise<SweptRecords> {
  const { db, config } = deps;
  return {
    log_lines: await sweepLines(db, config.SLIPWAY_LOG_DAYS),
    // Events older than half of this are refused, so a deleted one can't be replayed.
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

/** Closes previews whose pull request ended while we were down. */
async function sweepPreviews(deps: ControlPlaneDeps): Promise<number> {
  const old = await listOldPreviews(deps.db, deps.config.SLIPWAY_PREVIEW_DAYS);
  for (const { id, tenant_id } of old)
    await removeDeployment(deps, { tenant_id, name: 'sweep', role: 'deployer' }, id);
  return old.length;
}
