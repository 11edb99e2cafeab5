import { Connection } from '@temporalio/client';
import { msNumberToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { RETENTION_MS, SEARCH_ATTRIBUTES } from './temporal-settings.ts';

/** Sets the retention of closed workflows. Rejects while the namespace or search attributes are missing. */
export async function prepareNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  const { workflowService, operatorService } = connection;
  try {
    await connection.withDeadline(Date.now() + 5_000, async () => {
      const { config } = await workflowService.describeNamespace({ namespace });
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      const missing = Object.keys(SEARCH_ATTRIBUTES).filter((name) => !(name in customAttributes));
      if (missing.length > 0) throw new Error(`search attributes are missing: ${missing.join(', ')}`);
      if (tsToMs(config?.workflowExecutionRetentionTtl) === RETENTION_MS) return;
      const kept = { workflowExecutionRetentionTtl: msNumberToTs(RETENTION_MS) };
      await workflowService.updateNamespace({ namespace, config: kept });
    });
  } finally {
    await connection.close();
  }
}
