// A worker of the platform whose agents are small ones. SIGTERM stops it cleanly.
import { fileURLToPath } from 'node:url';
import { openDataPlane } from '../../../src/bin/data-plane.ts';
import { startPlatformProcess } from '../../../src/bin/platform-process.ts';
import { readPlatformSettings } from '../../../src/bin/platform-settings.ts';
import { createLog } from '../../../src/platform/log.ts';

const server = fileURLToPath(new URL('small-agent.js', import.meta.url));
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
  openDataPlane: (deps) => openDataPlane(deps, { server }),
});
process.once('SIGTERM', () => void stop().then(() => process.exit()));
log.info('platform worker ready');
