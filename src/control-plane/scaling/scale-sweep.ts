import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { boundsOf } from './scale-bounds.ts';
import { decideScale, type ScaleTargets } from './scale-decision.ts';
import { listDrifted, listUnscaled, noteDrift } from './drift-repository.ts';
import { beginScale, decideTo, listScaled, type ScaleRow } from './scale-repository.ts';
import { readWorkload, type Workload } from './workload.ts';

export type ScaleSweepDeps = Pick<ControlPlaneDeps, 'config' | 'db' | 'log'> & {
  /** Connection string of the deployment's database; undefined until it exists. */
  databaseOf(deploymentId: string): Promise<string | undefined>;
};

/** Result of one sweep. */
export interface SweptScale {
  looked: number;
  changed: { revision_id: string; from: number; to: number }[];
  /** Revisions whose running instances differ from the wanted ones. */
  drifted: string[];
}

const AT_ONCE = 4;
/** Lead time for waking and for staying awake, in milliseconds. */
const LEAD_MS = 5_000;

/** Finds drifted revisions, then decides how many replicas each active revision needs. Scalers carry it out. */
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
        deps.log.warn({ err: error, revision_id: row.revision_id }, 'could not decide on replicas');
        return row.replicas;
      });
      if (to !== row.replicas) swept.changed.push({ revision_id: row.revision_id, from: row.replicas, to });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lookAtRest));
  return swept;
}

/** Detects lost rows, hosts and processes, so that scalers restore the wanted number. */
async function findDrift({ db, config }: ScaleSweepDeps): Promise<string[]> {
  for (const { revision_id, source_config } of await listUnscaled(db)) {
    const { min, max } = boundsOf(source_config, config);
    await beginScale(db, revision_id, { least: Math.max(1, min), most: max });
  }
  const drifted: string[] = [];
  for (const id of await listDrifted(db)) if (await noteDrift(db, id)) drifted.push(id);
  return drifted;
}

/** Returns the number wanted afterwards. */
async function decide({ db, config, databaseOf }: ScaleSweepDeps, row: ScaleRow): Promise<number> {
  const url = await databaseOf(row.deployment_id);
  if (!url) return row.replicas;
  const { pending, underway, next } = await readWorkload(url);
  const now = Date.now();
  const soon = next !== null && next.getTime() <= now + 2 * LEAD_MS;
  const bounds = boundsOf(row.source_config, config);
  const to = decideScale(
    row,
    // A canary must stay reachable.
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
