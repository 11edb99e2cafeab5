import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { boundsOf } from './scale-bounds.ts';
import { decideScale, type ScaleTargets } from './scale-decision.ts';
import { listDrifted, listUnscaled, noteDrift } from './drift-repository.ts';
import { beginScale, decideTo, listScaled, type ScaleRow } from './scale-repository.ts';
import { readWorkload, type Workload } from './workload.ts';

export type ScaleSweepDeps = Pick<ControlPlaneDeps, 'config' | 'db' | 'log'> & {
  /** Address of a deployment's own database; undefined while it has none. */
  databaseOf(deploymentId: string): Promise<string | undefined>;
};

/** What one turn did, as the Temporal UI shows it. */
export interface SweptScale {
  looked: number;
  changed: { revision_id: string; from: number; to: number }[];
  /** Revisions of which something else runs than should. */
  drifted: string[];
}

const AT_ONCE = 4;
/** What comes due this soon is waited for, and what sleeps is woken this long before, in ms. */
const LEAD_MS = 5_000;

/**
 * Finds revisions of which something else runs than should, then decides how many replicas each that serves is to have,
 * from what it has to do. Scalers bring them there.
 */
export async function sweepScale(deps: ScaleSweepDeps): Promise<SweptScale> {
  const { db, config } = deps;
  const drifted = await findDrift(deps);
  const rows = (await listScaled(db)).filter(({ source_config, replicas }) => {
    const { min, max } = boundsOf(source_config, config);
    return replicas > 0 && (min === 0 || max > 1 || replicas > max);
  });
  const swept: SweptScale = { looked: rows.length, changed: [], drifted };
  const waiting = rows.values();
  const lookAtRest = async () => {
    for (const row of waiting) {
      const to = await decide(deps, row).catch((error: unknown) => {
        deps.log.warn({ err: error, revision_id: row.revision_id }, 'replicas could not be decided on');
        return row.replicas;
      });
      if (to !== row.replicas) swept.changed.push({ revision_id: row.revision_id, from: row.replicas, to });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lookAtRest));
  return swept;
}

/** Whatever became of the rows, the hosts and the processes of a revision: it is as many as it was again. */
async function findDrift({ db, config }: ScaleSweepDeps): Promise<string[]> {
  for (const { revision_id, source_config } of await listUnscaled(db)) {
    const { min, max } = boundsOf(source_config, config);
    await beginScale(db, revision_id, { least: Math.max(1, min), most: max });
  }
  const drifted: string[] = [];
  for (const id of await listDrifted(db)) if (await noteDrift(db, id)) drifted.push(id);
  return drifted;
}

/** Returns how many are wanted then. */
async function decide({ db, config, databaseOf }: ScaleSweepDeps, row: ScaleRow): Promise<number> {
  const url = await databaseOf(row.deployment_id);
  if (!url) return row.replicas;
  const { pending, underway, next } = await readWorkload(url);
  const now = Date.now();
  const soon = next !== null && next.getTime() <= now + 2 * LEAD_MS;
  const bounds = boundsOf(row.source_config, config);
  const to = decideScale(
    row,
    // A revision that is tried beside the one that serves is there to be asked.
    {
      pending,
      cores: row.cores,
      megabytes: row.megabytes,
      busy: underway || soon || !row.is_serving,
      idleMs: row.idle_ms,
    },
    bounds,
    targetsOf(config),
    now,
  );
  const wake_at = to.replicas === 0 ? wakeTime(next) : null;
  return (await decideTo(db, row, { ...to, wake_at })) ? to.replicas : row.replicas;
}

const wakeTime = (next: Workload['next']): Date | null => next && new Date(next.getTime() - LEAD_MS);

const targetsOf = (config: ScaleSweepDeps['config']): ScaleTargets => ({
  runs: config.SLIPWAY_SCALE_RUNS,
  cpu: config.SLIPWAY_SCALE_CPU_PERCENT / 100,
  memory: config.SLIPWAY_SCALE_MEMORY_PERCENT / 100,
  downMs: config.SLIPWAY_SCALE_DOWN_SECONDS * 1000,
  sleepMs: config.SLIPWAY_SLEEP_SECONDS * 1000,
});
