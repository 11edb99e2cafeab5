import { removeProject, removeRunsOf } from '../../src/tracing/projects/project-removal.ts';
import { removeTrace } from '../../src/tracing/traces/trace-removal.ts';
import type { TracingDeps } from '../../src/tracing/tracing-deps.ts';
import type { DeletionActivities } from '../../workflows/tracing/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

export const createDeletionActivities = ({ db }: Pick<TracingDeps, 'db'>): DeletionActivities => ({
  async removeProject(input) {
    await removeProject(db, input);
  },
  removeRunsOfProject: (input) => withHeartbeat(() => removeRunsOf(db, input)),
  removeTraces: ({ tenant_id, trace_ids }) =>
    withHeartbeat(async () => {
      let runs = 0;
      for (const trace_id of trace_ids) runs += await removeTrace(db, { tenant_id, trace_id });
      return runs;
    }),
});
