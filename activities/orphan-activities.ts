import type { Database } from '../src/platform/db/database.ts';
import { sweepOrphans, type SweptOrphans } from '../src/tracing/ingest/sweep-orphans.ts';
import type { TracingSettings } from '../src/tracing/tracing-settings.ts';
import { beating } from './beating.ts';

export type OrphanActivities = ReturnType<typeof createOrphanActivities>;

export const createOrphanActivities = ({ db, config }: { db: Database; config: TracingSettings }) => ({
  /** Puts logged runs below parents that came beside them, and lists those that have none; harmless when repeated. */
  sweepOrphans: (): Promise<SweptOrphans> =>
    beating(() => sweepOrphans(db, config.SLIPWAY_TRACE_ORPHAN_SECONDS)),
});
