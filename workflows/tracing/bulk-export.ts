import { proxyActivities } from '@temporalio/workflow';
import type { ExportActivities } from './contracts.ts';

const { writeExport, failExport } = proxyActivities<ExportActivities>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 20, initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Writes an export to its end. Finished parts survive a lost worker. */
export async function bulkExport(exportId: string): Promise<void> {
  try {
    await writeExport(exportId);
  } catch (error) {
    await failExport(exportId);
    throw error;
  }
}
