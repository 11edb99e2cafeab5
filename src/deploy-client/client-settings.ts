import { Type } from 'typebox';
import { text } from '../platform/service-settings.ts';
import { readSettings } from '../platform/settings.ts';
import type { Access } from './platform-api.ts';

/** Settings of the commands that ask a platform; listed in the README. */
export const ClientSettings = Type.Object({
  SLIPWAY_URL: Type.String({
    default: 'http://localhost:8080',
    pattern: '^https?://',
    description: 'platform that slipway deploy and the commands beside it ask',
  }),
  SLIPWAY_API_KEY: Type.String({ description: 'API key for the platform' }),
  SLIPWAY_TENANT_ID: text('tenant to work for, where the key is good for several'),
  SLIPWAY_JOB_ID: text(
    'names the job of a CI that is neither GitHub Actions nor GitLab CI: run again, it makes no second revision',
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
