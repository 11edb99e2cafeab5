import type { Timeline } from '../../api/control-plane-records.ts';

/** A phase of a revision's deployment. */
export interface Phase {
  name: 'waiting' | 'building' | 'deploying';
  ms: number;
  /** Whether the phase is in progress. */
  isOpen: boolean;
}

const PHASES: Record<string, Phase['name']> = {
  CREATING: 'waiting',
  QUEUED: 'waiting',
  AWAITING_BUILD: 'waiting',
  AWAITING_DEPLOY: 'waiting',
  BUILDING: 'building',
  DEPLOYING: 'deploying',
};
const ORDER: Phase['name'][] = ['waiting', 'building', 'deploying'];

/** Time spent in each phase, up to `now` for the current one. Steps that leave the path to serving end it. */
export function phasesOf(steps: Timeline['steps'], now: number): Phase[] {
  const found = new Map<Phase['name'], Phase>();
  for (const { status, at, duration_ms } of steps) {
    const name = PHASES[status];
    if (!name) continue;
    const isOpen = duration_ms === null;
    const ms = duration_ms ?? Math.max(0, now - Date.parse(at));
    const before = found.get(name);
    found.set(name, { name, ms: (before?.ms ?? 0) + ms, isOpen: isOpen || (before?.isOpen ?? false) });
  }
  return ORDER.flatMap((name) => found.get(name) ?? []);
}
