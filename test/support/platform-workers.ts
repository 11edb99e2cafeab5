import type { openDataPlane } from '../../src/bin/data-plane.ts';
import { startPlatformProcess } from '../../src/bin/platform-process.ts';
import { readPlatformSettings } from '../../src/bin/platform-settings.ts';
import { createLog } from '../../src/platform/log.ts';

/** Runs the platform's workers in this process, with their data plane replaced. SIGTERM stops them cleanly. */
export async function runWorkers(open: typeof openDataPlane): Promise<void> {
  const settings = await readPlatformSettings(process.env);
  const log = createLog(settings.SLIPWAY_LOG_LEVEL, false);
  const { stop } = await startPlatformProcess({
    config: {
      ...settings,
      DATABASE_URL: settings.DATABASE_URL!,
      TEMPORAL_ADDRESS: settings.TEMPORAL_ADDRESS!,
    },
    keys: [settings.SLIPWAY_SECRET_KEY!],
    role: 'worker',
    log,
    openDataPlane: open,
  });
  process.once('SIGTERM', () => void stop().then(() => process.exit()));
  log.info('platform worker ready');
}
