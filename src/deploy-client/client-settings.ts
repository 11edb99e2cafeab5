import { Type } from 'typebox';
import { text } from '../platform/service-settings.ts';
import { readSettings } from '../platform/settings.ts';
import type { Access } from './platform-api.ts';

/** Settings of the commands that ask a platform; listed in docs/settings.md. */
export const ClientSettings = Type.Object({
  SLIPWAY_URL: Type.String({
    default: 'http://localhost:8080',
    pattern: '^https?://',
    description: 'URL of the platform',
  }),
  SLIPWAY_API_KEY: Type.String({ description: 'API key of the platform' }),
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
  const settings = readSettings(ClientSettings, {
    ...env,
    ...(url && { SLIPWAY_URL: url }),
    ...(apiKey && { SLIPWAY_API_KEY: apiKey }),
    ...(tenant && { SLIPWAY_TENANT_ID: tenant }),
  });
  return { url: settings.SLIPWAY_URL, key: settings.SLIPWAY_API_KEY, tenant: settings.SLIPWAY_TENANT_ID };
}
