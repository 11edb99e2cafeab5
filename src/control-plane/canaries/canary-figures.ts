import type { Static } from 'typebox';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { latencyAt, readFigures, type RevisionFigures } from '../gateway/traffic-figures.ts';
import type { CanaryRow, Figures, Guard } from '../records/canary.ts';

type Whole = Required<Omit<Guard, 'latency_ms'>> & Pick<Guard, 'latency_ms'>;

/** The canary's limits, with the settings as defaults. */
export const guardOf = (config: ControlPlaneDeps['config'], { plan }: Pick<CanaryRow, 'plan'>): Whole => ({
  window_seconds: config.SLIPWAY_CANARY_WINDOW_SECONDS,
  minimum: config.SLIPWAY_CANARY_MINIMUM,
  margin: config.SLIPWAY_CANARY_MARGIN,
  ...plan.guard,
});

/** Figures of the canary and of the active revision, in this order. */
export const canaryFigures = (
  { db, config }: Pick<ControlPlaneDeps, 'db' | 'config'>,
  canary: CanaryRow,
  serving: string,
): Promise<RevisionFigures[]> =>
  readFigures(db, [canary.revision_id, serving], {
    seconds: guardOf(config, canary).window_seconds,
    since: new Date(canary.began_at),
  });

export const figuresView = ({ latency, ...figures }: RevisionFigures): Static<typeof Figures> => ({
  ...figures,
  p50_ms: latencyAt(latency, 0.5) ?? null,
  p95_ms: latencyAt(latency, 0.95) ?? null,
});
