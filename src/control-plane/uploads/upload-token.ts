import { seededUuid, uuid7 } from '../../platform/ids.ts';
import { defineError } from '../../platform/errors.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';

export const UploadRefused = defineError('UploadRefused', 403, () => 'Invalid or expired upload URL');

const ABOUT = 'upload';

/** What an upload address permits. */
export interface Upload {
  deployment_id: string;
  upload_id: string;
  /** Hex digest the archive must match. */
  sha256?: string | undefined;
}

/**
 * A token for one upload to one deployment, valid until `expiresAt` (milliseconds since 1970). With a digest, the
 * path is always the same, so that requests naming it can be repeated.
 */
export function issueUpload(
  box: SealedBox,
  deploymentId: string,
  expiresAt: number,
  sha256?: string,
): Upload & { token: string } {
  const upload_id = sha256 ? seededUuid(`upload/${deploymentId}/${sha256}`) : uuid7();
  const upload = { deployment_id: deploymentId, upload_id, ...(sha256 && { sha256 }) };
  const sealed = box.seal(JSON.stringify({ ...upload, expires_at: expiresAt }), ABOUT);
  return { ...upload, token: sealed.toString('base64url') };
}

/** Throws UploadRefused for a forged or expired token. */
export function readUpload(box: SealedBox, token: string): Upload {
  try {
    const { expires_at, ...upload } = JSON.parse(
      box.open(Buffer.from(token, 'base64url'), ABOUT),
    ) as Upload & {
      expires_at: number;
    };
    if (Date.now() < expires_at) return upload;
  } catch {
    // Not sealed by us.
  }
  throw new UploadRefused();
}

/** The name by which a client refers to its upload. */
export const objectPath = ({ deployment_id, upload_id }: Upload): string =>
  `uploads/${deployment_id}/${upload_id}.tar.gz`;
