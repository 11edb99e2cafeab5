import type { Database } from '../src/platform/db/database.ts';
import { endExport } from '../src/tracing/exports/export-repository.ts';
import { writeExportParts } from '../src/tracing/exports/write-export.ts';
import { sweepTraces, type SweptTraces } from '../src/tracing/retention/sweep-traces.ts';
import type { TracingSettings } from '../src/tracing/tracing-settings.ts';
import { beating } from './beating.ts';

export type TraceActivities = ReturnType<typeof createTraceActivities>;

export const createTraceActivities = ({ db, config }: { db: Database; config: TracingSettings }) => ({
  /** Removes runs, bodies and attachments whose time is over; harmless when it is repeated. */
  sweepTraceWeeks: (): Promise<SweptTraces> =>
    beating(() =>
      sweepTraces(db, {
        days: config.SLIPWAY_TRACE_RETENTION_DAYS,
        longDays: config.SLIPWAY_TRACE_LONG_DAYS,
      }),
    ),

  /** Ends executions of `packRuns` that an older version left open. */
  packQuietRuns: (): Promise<{ runs: number }> => Promise.resolve({ runs: 0 }),

  /** Goes on where the last attempt was cut short. */
  writeExport: (exportId: string): Promise<void> => beating(() => writeExportParts(db, exportId)),

  failExport: (exportId: string): Promise<void> => endExport(db, exportId, 'Failed'),
});
