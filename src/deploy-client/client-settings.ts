import { Type } from 'typebox';
import { text } from '../platform/service-settings.ts';
import { readSettings } from '../platform/settings.ts';
import { findLocalKey } from './local-key.ts';
import type { Access } from './platform-api.ts';

const DEFAULT_URL = 'http://localhost:8080';

/** Settings of the commands that call a platform; listed in docs/settings.md. */
export const ClientSettings = Type.Object({
  SLIPWAY_URL: Type.String({
    default: DEFAULT_URL,
    pattern: '^https?://',
    description: 'URL of the platform',
  }),
  SLIPWAY_API_KEY: Type.String({
    description:
      'API key of the platform; unset uses that of a platform that `slipway up` runs on this machine',
  }),
  SLIPWAY_TENANT_ID: text('Tenant to use, for a key that is valid in several'),
  SLIPWAY_JOB_ID: text(
    'Job id, for CI other than GitHub Actions and GitLab CI; repeating a job makes no second revision',
  ),
});

export interface AccessOptions {
  url?: string;
  apiKey?: string;
  tenant?: string;
}

/** Options win over the environment. Throws InvalidSetting. */
export function readAccess({ url, apiKey, tenant }: AccessOptions, env: NodeJS.ProcessEnv): Access {
  const address = url || env['SLIPWAY_URL']?.trim() || DEFAULT_URL;
  const key = apiKey || env['SLIPWAY_API_KEY']?.trim() || findLocalKey(address, env);
  const settings = readSettings(ClientSettings, {
    ...env,
    SLIPWAY_URL: address,
    ...(key && { SLIPWAY_API_KEY: key }),
    ...(tenant && { SLIPWAY_TENANT_ID: tenant }),
  });
  return { url: settings.SLIPWAY_URL, key: settings.SLIPWAY_API_KEY, tenant: settings.SLIPWAY_TENANT_ID };
}
