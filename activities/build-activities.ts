import type { ControlPlaneDeps } from '../src/control-plane/control-plane-deps.ts';
import { sweepBuilds, type Swept } from '../src/control-plane/builds/sweep-builds.ts';
import { beating } from './beating.ts';

export type BuildActivities = ReturnType<typeof createBuildActivities>;

export const createBuildActivities = ({ db, config }: Pick<ControlPlaneDeps, 'db' | 'config'>) => ({
  /** Removes what builds left behind on this machine; harmless when it is repeated. */
  sweepBuildFolders: (): Promise<Swept> => beating(() => sweepBuilds(db, config)),
});
