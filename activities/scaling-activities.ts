import {
  type ScaleSweepDeps,
  type SweptScale,
  sweepScale,
} from '../src/control-plane/scaling/scale-sweep.ts';
import { beating } from './beating.ts';

export type ScalingActivities = ReturnType<typeof createScalingActivities>;

export const createScalingActivities = (deps: ScaleSweepDeps) => ({
  /** Looks at every revision that may have more or fewer replicas; harmless when it is repeated. */
  decideReplicas: (): Promise<SweptScale> => beating(() => sweepScale(deps)),
});
