import { type Static, Type } from 'typebox';
import type { CanaryStep } from '../../../workflows/deployments/contracts.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

const Text = Type.Union([Type.String(), Type.Null()]);
const Percent = Type.Integer({ minimum: 0, maximum: 100 });
const MOST_STEPS = 20;
const MOST_MINUTES = 7 * 24 * 60;

/** Limits that abort a canary; the settings are the default. */
const Guard = Type.Object({
  window_seconds: Type.Optional(Type.Number({ minimum: 1, maximum: 86_400 })),
  /** Requests or runs required before they can abort it. */
  minimum: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Percentage points by which it may fail more often than the active revision. */
  margin: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  /** Highest acceptable p95 until the response head, in milliseconds; unset disables the check. */
  latency_ms: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
});
export type Guard = Static<typeof Guard>;

/**
 * How a canary is rolled out (contract §5, 4–6): a fixed `percent` of the threads, or `steps` that each last some
 * minutes or until approved. The revision takes over after the last step. With 0 percent only its own address reaches
 * it.
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

/** The plan, as stored. */
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
  /** Milliseconds until the response head, up to the histogram's bounds; null without responses. */
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
  /** Figures of the canary and the active revision, since it began and within the window. */
  figures: Type.Array(Figures),
});

export const CANARY_ACTIONS = ['promote', 'abort', 'pause', 'resume', 'approve'] as const;
export type CanaryAction = (typeof CANARY_ACTIONS)[number];

/** A canary row. */
export interface CanaryRow {
  revision_id: string;
  deployment_id: string;
  plan: CanaryPlan;
  state: (typeof CANARY_STATES)[number];
  reason: string | null;
  /** Whether shares were set by hand while it ran. */
  by_hand: boolean;
  /** Last read run counters, by instance address. */
  seen: Record<string, RunCounters>;
  began_at: string;
  ended_at: string | null;
}

/** Runs settled by a process since it started. */
export interface RunCounters {
  runs: number;
  failed_runs: number;
}
