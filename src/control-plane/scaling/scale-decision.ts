import type { ScaleBounds } from './scale-bounds.ts';

/** What a revision has to do. */
export interface Load {
  /** Runs that could begin now, and have not. */
  pending: number;
  /** Cores all its replicas use together; null where nobody measures it. */
  cores: number | null;
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
  /** Part of its cores a replica is meant to use, 0 to 1. */
  cpu: number;
  /** How long fewer must have been enough before there are fewer, in ms. */
  downMs: number;
  /** How long nobody must have asked before it sleeps, in ms. */
  sleepMs: number;
}

/** How many the load needs: the largest answer wins (contract §2.8). */
export function replicasNeeded(
  { pending, cores }: Pick<Load, 'pending' | 'cores'>,
  bounds: ScaleBounds,
  targets: Pick<ScaleTargets, 'runs' | 'cpu'>,
): number {
  const byRuns = Math.ceil(pending / targets.runs);
  const byCores = cores === null ? 0 : Math.ceil(cores / (bounds.cores * targets.cpu));
  return Math.min(bounds.max, Math.max(1, bounds.min, byRuns, byCores));
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
