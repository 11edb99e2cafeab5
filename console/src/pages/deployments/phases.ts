import type { Timeline } from '../../api/control-plane-records.ts';

/** What a revision goes through, as people think of it. */
export interface Phase {
  name: 'waiting' | 'building' | 'deploying';
  ms: number;
  /** It is in it now. */
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

/** Time spent in each phase; the open one runs until `now`. A step that is not on the way to serving ends it. */
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
