import { proxyActivities } from '@temporalio/workflow';
import type { TraceActivities } from '../activities/trace-activities.ts';

const { writeExport, failExport } = proxyActivities<TraceActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 20, initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Writes an export to its end; what was written stays written, whoever goes on. */
export async function bulkExport(exportId: string): Promise<void> {
  try {
    await writeExport(exportId);
  } catch (error) {
    await failExport(exportId);
    throw error;
  }
}
