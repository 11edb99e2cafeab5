import { defineError } from '../../platform/errors.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';

const ArtifactRefused = defineError('ArtifactRefused', 403, () => 'Invalid or expired artifact URL');

const ABOUT = 'artifact';

/** A token for reading one artifact until `expiresAt` (milliseconds since 1970). */
export const issueArtifact = (box: SealedBox, artifact: string, expiresAt: number): string =>
  box.seal(JSON.stringify({ artifact, expires_at: expiresAt }), ABOUT).toString('base64url');

/** Throws ArtifactRefused for a forged or expired token. */
export function readArtifactToken(box: SealedBox, token: string): string {
  try {
    const { artifact, expires_at } = JSON.parse(box.open(Buffer.from(token, 'base64url'), ABOUT)) as {
      artifact: string;
      expires_at: number;
    };
    if (Date.now() < expires_at) return artifact;
  } catch {
    // Not sealed by us.
  }
  throw new ArtifactRefused();
}
