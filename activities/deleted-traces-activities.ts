import { removeTrace } from '../src/tracing/traces/trace-removal.ts';
import type { TracingDeps } from '../src/tracing/tracing-deps.ts';
import type { DeleteTracesInput } from '../workflows/tracing-contracts.ts';
import { beating } from './beating.ts';

export type DeletedTracesActivities = ReturnType<typeof createDeletedTracesActivities>;

export const createDeletedTracesActivities = ({ db }: Pick<TracingDeps, 'db'>) => ({
  /** Removes traces with their bodies; goes on from where another attempt was cut short. */
  removeTraces: ({ tenant_id, trace_ids }: DeleteTracesInput): Promise<number> =>
    beating(async () => {
      let runs = 0;
      for (const trace_id of trace_ids) runs += await removeTrace(db, { tenant_id, trace_id });
      return runs;
    }),
});
