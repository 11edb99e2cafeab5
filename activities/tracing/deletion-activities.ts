import { endDeletion, listRequestedDeletions } from '../../src/tracing/deletions/deletion-repository.ts';
import { projectExists, removeProject, removeRunsOf } from '../../src/tracing/projects/project-removal.ts';
import { removeTrace } from '../../src/tracing/traces/trace-removal.ts';
import type { TracingDeps } from '../../src/tracing/tracing-deps.ts';
import type { DeletionActivities } from '../../workflows/tracing/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

/** Skips what no one requested to delete: anything that reaches Temporal could have sent the input. */
export const createDeletionActivities = ({ db }: Pick<TracingDeps, 'db'>): DeletionActivities => ({
  async removeProject(input) {
    const { tenant_id, project_id } = input;
    const [isRequested] = await listRequestedDeletions(db, tenant_id, [project_id]);
    if (isRequested) await removeProject(db, input);
  },
  removeRunsOfProject: (input) =>
    withHeartbeat(async () => {
      const { tenant_id, project_id } = input;
      if (await projectExists(db, input)) return 0;
      const removed = await removeRunsOf(db, input);
      await endDeletion(db, tenant_id, project_id);
      return removed;
    }),
  removeTraces: ({ tenant_id, trace_ids }) =>
    withHeartbeat(async () => {
      let runs = 0;
      for (const trace_id of await listRequestedDeletions(db, tenant_id, trace_ids)) {
        runs += await removeTrace(db, { tenant_id, trace_id });
        await endDeletion(db, tenant_id, trace_id);
      }
      return runs;
    }),
});
