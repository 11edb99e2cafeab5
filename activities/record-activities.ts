import type { ControlPlaneDeps } from '../src/control-plane/control-plane-deps.ts';
import { sweepRecords, type SweptRecords } from '../src/control-plane/maintenance/sweep-records.ts';
import { beating } from './beating.ts';

export type RecordActivities = ReturnType<typeof createRecordActivities>;

export const createRecordActivities = (deps: ControlPlaneDeps) => ({
  /** Removes what was kept for a while alone; harmless when it is repeated. */
  sweepRecords: (): Promise<SweptRecords> => beating(() => sweepRecords(deps)),
});
