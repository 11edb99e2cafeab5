import { type Static, Type } from 'typebox';
import { ControlPlaneSettings } from '../control-plane/control-plane-settings.ts';
import { freePort } from '../platform/http/free-port.ts';
import { port, serviceSettings } from '../platform/service-settings.ts';
import { readSettings } from '../platform/settings.ts';
import { TracingSettings } from '../tracing/tracing-settings.ts';

const PORT = 8080;

/** Every setting of the platform. */
export const PlatformSettings = Type.Object({
  ...serviceSettings,
  PORT: port(PORT),
  ...ControlPlaneSettings.properties,
  ...TracingSettings.properties,
});
export type PlatformSettings = Static<typeof PlatformSettings>;

/** Reads the settings; the public address defaults to the port's. Throws InvalidSetting. */
export async function readPlatformSettings(env: NodeJS.ProcessEnv): Promise<PlatformSettings> {
  const settings = readSettings(PlatformSettings, env);
  const chosen = settings.PORT || (await freePort(settings.HOST));
  return {
    ...settings,
    PORT: chosen,
    SLIPWAY_PUBLIC_URL: env['SLIPWAY_PUBLIC_URL']
      ? settings.SLIPWAY_PUBLIC_URL.replace(/\/+$/, '')
      : `http://localhost:${chosen}`,
  };
}
