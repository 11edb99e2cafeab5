import type { Logger } from 'pino';
import { secretKeys } from '../control-plane/secrets/secret-keys.ts';
import { startEmbedded } from '../platform/embedded/embedded.ts';
import { freePort } from '../platform/http/free-port.ts';
import { createLog } from '../platform/log.ts';
import type { Role } from './agent-process.ts';
import { type PlatformProcess, startPlatformProcess } from './platform-process.ts';
import { type PlatformSettings, readPlatformSettings } from './platform-settings.ts';
import { onStopSignal, surviveStrayRejections } from './stop-signal.ts';

export interface PlatformOptions {
  role: Role;
  host?: string;
  port?: string;
}

export interface Platform extends Omit<PlatformProcess, 'stop'> {
  settings: PlatformSettings;
  temporalUiUrl: string | undefined;
}

/** The platform: starts services that aren't configured, and serves until stopped. */
export async function platform(options: PlatformOptions, announce = announceReady): Promise<void> {
  const settings = await readPlatformSettings({
    ...process.env,
    ...(options.host && { HOST: options.host }),
    ...(options.port && { PORT: options.port }),
  });
  const dataDir = settings.SLIPWAY_DATA_DIR;
  const log = createLog(settings.SLIPWAY_LOG_LEVEL);
  surviveStrayRejections(log);
  const sealing = { configured: settings.SLIPWAY_SECRET_KEY, embedded: !settings.DATABASE_URL, dataDir };
  // Before anything starts: nothing works without a key.
  if (!sealing.embedded) await secretKeys(sealing);
  if (options.role !== 'worker') await freePort(settings.HOST, settings.PORT);
  const embedded = await startEmbedded({
    dataDir,
    databaseUrl: settings.DATABASE_URL,
    temporalAddress: settings.TEMPORAL_ADDRESS,
    namespace: settings.TEMPORAL_NAMESPACE,
    onProgress: (message) => log.info(message),
  });
  const uiUrl = settings.SLIPWAY_TEMPORAL_UI_URL ?? embedded.temporalUiUrl;
  const start = async () =>
    startPlatformProcess({
      config: {
        ...settings,
        ...(uiUrl && { SLIPWAY_TEMPORAL_UI_URL: uiUrl }),
        DATABASE_URL: embedded.databaseUrl,
        TEMPORAL_ADDRESS: embedded.temporalAddress,
      },
      keys: await secretKeys(sealing),
      role: options.role,
      log,
    });
  const started = await start().catch(async (error: unknown) => {
    await embedded.stop();
    throw error;
  });
  onStopSignal(log, async () => {
    // Agents can't work without the Postgres that ends with us.
    await started.stop({ withAgents: !settings.DATABASE_URL });
    await embedded.stop();
  });
  announce({ ...started, settings, temporalUiUrl: embedded.temporalUiUrl }, log);
}

function announceReady({ url, apiKey, temporalUiUrl }: Platform, log: Logger): void {
  // Not through the log, which may be stored.
  if (apiKey?.isNew) process.stdout.write(`API key, shown this once: ${apiKey.key}\n`);
  log.info(
    { url, key_file: apiKey?.file, temporal_ui: temporalUiUrl },
    url ? `platform ready at ${url}` : 'platform worker ready',
  );
}
