import type { Database } from '../../src/platform/db/database.ts';
import { endExport } from '../../src/tracing/exports/export-repository.ts';
import { writeExportParts } from '../../src/tracing/exports/write-export.ts';
import { sweepOrphans } from '../../src/tracing/ingest/sweep-orphans.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { sweepTraces } from '../../src/tracing/retention/sweep-traces.ts';
import type { TracingSettings } from '../../src/tracing/tracing-settings.ts';
import type { ExportActivities, TraceUpkeepActivities } from '../../workflows/tracing/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';

export const createTraceActivities = ({
  db,
  config,
}: {
  db: Database;
  config: TracingSettings;
}): ExportActivities & TraceUpkeepActivities => ({
  writeExport: (exportId) => withHeartbeat(() => writeExportParts(db, exportId)),
  failExport: (exportId) => endExport(db, exportId, 'Failed'),
  sweepTraceWeeks: () =>
    withHeartbeat(() =>
      sweepTraces(db, {
        days: config.SLIPWAY_TRACE_RETENTION_DAYS,
        longDays: config.SLIPWAY_TRACE_LONG_DAYS,
      }),
    ),
  sweepOrphans: () => withHeartbeat(() => sweepOrphans(db, config.SLIPWAY_TRACE_ORPHAN_SECONDS)),
  foldRunMinutes: () => withHeartbeat(() => foldMinutes(db)),
  packQuietRuns: async () => ({ runs: 0 }),
});
