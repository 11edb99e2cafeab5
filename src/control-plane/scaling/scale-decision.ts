import type { ScaleBounds } from './scale-bounds.ts';

/** Current load of a revision. */
export interface Load {
  /** Runs that could start but haven't. */
  pending: number;
  /** Cores and MB used by all replicas; null if not measured. */
  cores: number | null;
  megabytes: number | null;
  /** Has work in progress or due soon: must not sleep. */
  busy: boolean;
  /** Milliseconds since the last request ended. */
  idleMs: number;
}

export interface ScaleState {
  /** Wanted replicas; 0 while asleep. */
  replicas: number;
  /**
   * Start of the period in which fewer replicas would have sufficed, in milliseconds since 1970, and the maximum
   * needed since.
   */
  fewer_since: number | null;
  fewer_replicas: number | null;
}

export interface ScaleTargets {
  /** Pending runs per replica. */
  runs: number;
  /** Target utilisation of cores and memory, 0 to 1. */
  cpu: number;
  memory: number;
  /** How long fewer must suffice before scaling down, in milliseconds. */
  downMs: number;
  /** Idle time before sleep, in milliseconds. */
  sleepMs: number;
}

/**
 * Replicas the load needs: the largest requirement wins (contract §2.8), because every replica both serves requests
 * and executes runs.
 */
export function replicasNeeded(
  { pending, cores, megabytes }: Pick<Load, 'pending' | 'cores' | 'megabytes'>,
  bounds: ScaleBounds,
  targets: Pick<ScaleTargets, 'runs' | 'cpu' | 'memory'>,
): number {
  const byRuns = Math.ceil(pending / targets.runs);
  const byCores = Math.ceil((cores ?? 0) / (bounds.cores * targets.cpu));
  const byMemory = Math.ceil((megabytes ?? 0) / (bounds.megabytes * targets.memory));
  const { serving, queue, min, max } = bounds;
  const wanted = Math.max(1, min, Math.min(byRuns, queue), Math.min(Math.max(byCores, byMemory), serving));
  return Math.min(max, wanted);
}

/** Scales up at once, down after a delay, and to zero when idle. A sleeping revision stays asleep. */
export function decideScale(
  state: ScaleState,
  load: Load,
  bounds: ScaleBounds,
  targets: ScaleTargets,
  now: number,
): ScaleState {
  const settled = { fewer_since: null, fewer_replicas: null };
  if (state.replicas === 0) return { replicas: bounds.min, ...settled };
  if (bounds.min === 0 && !load.busy && load.idleMs >= targets.sleepMs) return { replicas: 0, ...settled };
  const needed = replicasNeeded(load, bounds, targets);
  if (needed >= state.replicas) return { replicas: needed, ...settled };
  // Above the limit it scales down at once.
  const replicas = Math.min(state.replicas, bounds.max);
  const since = state.fewer_since ?? now;
  const most = Math.max(needed, state.fewer_replicas ?? 0);
  if (now - since < targets.downMs) return { replicas, fewer_since: since, fewer_replicas: most };
  return { replicas: Math.min(most, replicas), ...settled };
}
