import { type Static, Type } from 'typebox';
import type { CanaryStep } from '../../../workflows/deployments/contracts.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

const Text = Type.Union([Type.String(), Type.Null()]);
const Percent = Type.Integer({ minimum: 0, maximum: 100 });
const MOST_STEPS = 20;
const MOST_MINUTES = 7 * 24 * 60;

/** What ends a canary by itself; what is left out is as the settings say. */
const Guard = Type.Object({
  window_seconds: Type.Optional(Type.Number({ minimum: 1, maximum: 86_400 })),
  /** Requests, or runs, before they can abort it. */
  minimum: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Percentage points by which it may fail more often than the revision that serves. */
  margin: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  /** Most milliseconds to the head of 95 of 100 answers; none looks at no time. */
  latency_ms: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
});
export type Guard = Static<typeof Guard>;

/**
 * How a revision is tried beside the one that serves (contract §5, 4–6): `percent` of the threads until somebody
 * decides, or `steps`, each for its minutes, or until it is approved where it names none. After the last step the
 * revision takes over. With 0 percent it is reached under its own address alone.
 */
export const CanaryRequest = Type.Object({
  percent: Type.Optional(Percent),
  steps: Type.Optional(
    Type.Array(
      Type.Object({
        percent: Percent,
        minutes: Type.Optional(Type.Number({ minimum: 0, maximum: MOST_MINUTES })),
      }),
      { minItems: 1, maxItems: MOST_STEPS },
    ),
  ),
  guard: Type.Optional(Guard),
});

/** The same as it is kept. */
export interface CanaryPlan {
  steps: CanaryStep[];
  guard: Guard;
}

export const canaryPlan = ({ percent = 0, steps, guard = {} }: Static<typeof CanaryRequest>): CanaryPlan => ({
  steps: (steps ?? [{ percent }]).map(({ percent: share, minutes = null }) => ({ percent: share, minutes })),
  guard,
});

export const CANARY_STATES = ['watched', 'promoted', 'aborted'] as const;

export const Figures = Type.Object({
  revision_id: Uuid,
  requests: Type.Integer(),
  failed: Type.Integer(),
  runs: Type.Integer(),
  failed_runs: Type.Integer(),
  /** Milliseconds to the head of an answer, up to the bounds of a histogram; null without answers. */
  p50_ms: Type.Union([Type.Number(), Type.Null()]),
  p95_ms: Type.Union([Type.Number(), Type.Null()]),
});

export const Canary = Type.Object({
  revision_id: Uuid,
  state: StringEnum(CANARY_STATES),
  reason: Text,
  percent: Percent,
  steps: Type.Array(Type.Object({ percent: Percent, minutes: Type.Union([Type.Number(), Type.Null()]) })),
  guard: Guard,
  began_at: Timestamp,
  ended_at: Type.Union([Timestamp, Type.Null()]),
  /** Of the canary, and of the revision that serves, since it began and within the window. */
  figures: Type.Array(Figures),
});

export const CANARY_ACTIONS = ['promote', 'abort', 'pause', 'resume', 'approve'] as const;
export type CanaryAction = (typeof CANARY_ACTIONS)[number];

/** A canary as it is in its row. */
export interface CanaryRow {
  revision_id: string;
  deployment_id: string;
  plan: CanaryPlan;
  state: (typeof CANARY_STATES)[number];
  reason: string | null;
  /** Whether the deployment's shares were set by hand while it was watched. */
  by_hand: boolean;
  /** Counters of runs as they were read last, by the address they were read at. */
  seen: Record<string, RunCounters>;
  began_at: string;
  ended_at: string | null;
}

/** Runs a process has settled since it started. */
export interface RunCounters {
  runs: number;
  failed_runs: number;
}
