import { randomBytes } from 'node:crypto';
import { InvalidSetting } from '../../platform/settings.ts';
import { keptSecret } from './kept-secret.ts';

const KEY_BYTES = 32;

/**
 * The sealed box's keys: the configured ones, or one generated for the embedded database and kept next to it. Throws
 * InvalidSetting for an external database without a configured key.
 */
export async function secretKeys({
  configured,
  embedded,
  dataDir,
}: {
  configured: string | undefined;
  embedded: boolean;
  dataDir: string;
}): Promise<string[]> {
  const given = configured
    ?.split(',')
    .map((key) => key.trim())
    .filter(Boolean);
  if (given?.length) return given;
  if (!embedded)
    throw new InvalidSetting(
      'SLIPWAY_SECRET_KEY is not set: it seals what the database must not show; `openssl rand -base64 32` makes one',
    );
  return [await keptSecret(dataDir, 'secret-key', () => randomBytes(KEY_BYTES).toString('base64url'))];
}
