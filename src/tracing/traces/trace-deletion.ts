import { randomUUID } from 'node:crypto';
import type { DeleteTracesWorkflow } from '../../../workflows/tracing/contracts.ts';
import { callEngine } from '../../platform/temporal/engine-call.ts';
import { requestDeletion } from '../deletions/deletion-repository.ts';
import type { TracingDeps } from '../tracing-deps.ts';

/** Starts a workflow that deletes these traces. Throws Unavailable. */
export async function deleteTracesOf(
  { config, db, temporal, taskQueue }: Pick<TracingDeps, 'config' | 'db' | 'temporal' | 'taskQueue'>,
  tenant_id: string,
  trace_ids: string[],
): Promise<void> {
  const call = { client: temporal, deadlineMs: config.SLIPWAY_TEMPORAL_DEADLINE_SECONDS * 1000 };
  await requestDeletion(db, tenant_id, trace_ids);
  await callEngine(call, 'Traces cannot be deleted right now: Temporal is unavailable', () =>
    temporal.workflow.start<DeleteTracesWorkflow>('deleteTraces', {
      taskQueue,
      workflowId: `delete-traces/${randomUUID()}`,
      args: [{ tenant_id, trace_ids }],
      staticSummary: `${trace_ids.length} traces`,
    }),
  );
}
