import type { JsonObject } from '../../platform/schema.ts';
import type { Project } from '../projects/project.ts';
import { numberOf } from './v2-run.ts';

const TIERS = { longlived: 'LONG_LIVED', shortlived: 'SHORT_LIVED' } as const;
type Tier = (typeof TIERS)[keyof typeof TIERS];

export const V2_TIERS = Object.values(TIERS);

/** Name of the tier in the database. */
export const tierOf = (tier: Tier): keyof typeof TIERS =>
  tier === 'LONG_LIVED' ? 'longlived' : 'shortlived';

const COSTS = ['total_cost', 'prompt_cost', 'completion_cost'];

/** A project in version 2 of the API (contract §1.14). Costs in statistics are numbers. */
export function v2Session(project: Project, stats?: JsonObject): JsonObject {
  const { retention_days: _own, trace_tier, ...session } = project;
  return {
    ...session,
    type: project.reference_dataset_id === null ? 'PROJECT' : 'EXPERIMENT',
    trace_tier: trace_tier === null ? null : (TIERS[trace_tier as keyof typeof TIERS] ?? null),
    ...(stats && {
      ...stats,
      ...Object.fromEntries(COSTS.map((cost) => [cost, numberOf(stats[cost])])),
      feedback_stats: saidOf(stats['feedback_stats']),
      session_feedback_stats: saidOf(stats['session_feedback_stats']),
    }),
  };
}

const saidOf = (stats: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries((stats ?? {}) as Record<string, JsonObject>).map(([key, of]) => [
      key,
      { ...of, type: 'PRIMARY', contains_thread_feedback: false },
    ]),
  );
