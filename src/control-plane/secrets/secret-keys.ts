import { randomBytes } from 'node:crypto';
import { InvalidSetting } from '../../platform/settings.ts';
import { keptSecret } from './kept-secret.ts';

const KEY_BYTES = 32;

/**
 * The keys of the sealed box: those configured, else one made for the embedded database, which lives and dies with the
 * same directory. Throws InvalidSetting where the database is elsewhere and no key is given.
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
