import type { ScaleBounds } from './scale-bounds.ts';

/** What a revision has to do. */
export interface Load {
  /** Runs that could begin now, and have not. */
  pending: number;
  /** Cores all its replicas use together, and MB they hold; null where nobody measures it. */
  cores: number | null;
  megabytes: number | null;
  /** Something is under way, or comes due within moments: it must not sleep. */
  busy: boolean;
  /** Time since the last request ended, in ms. */
  idleMs: number;
}

export interface ScaleState {
  /** Wanted; 0 while it sleeps. */
  replicas: number;
  /** Since when fewer would have done, in ms since 1970, and the most that were needed since. */
  fewer_since: number | null;
  fewer_replicas: number | null;
}

export interface ScaleTargets {
  /** Pending runs a replica is expected to deal with. */
  runs: number;
  /** Parts of its cores and of its memory a replica is meant to use, 0 to 1. */
  cpu: number;
  memory: number;
  /** How long fewer must have been enough before there are fewer, in ms. */
  downMs: number;
  /** How long nobody must have asked before it sleeps, in ms. */
  sleepMs: number;
}

/**
 * How many the load needs: the largest answer wins (contract §2.8). Every replica answers requests and executes runs, so
 * each of both asks for as many as it may have.
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

/** More at once, fewer after a while, none when it may sleep and has nothing to do. One that sleeps is left to. */
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
  // Beyond what is allowed there is nothing to wait for.
  const replicas = Math.min(state.replicas, bounds.max);
  const since = state.fewer_since ?? now;
  const most = Math.max(needed, state.fewer_replicas ?? 0);
  if (now - since < targets.downMs) return { replicas, fewer_since: since, fewer_replicas: most };
  return { replicas: Math.min(most, replicas), ...settled };
}
