import { seededUuid, uuid7 } from '../../platform/ids.ts';
import { defineError } from '../../platform/errors.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';

export const UploadRefused = defineError(
  'UploadRefused',
  403,
  () => 'This address for an upload is not good, or no longer',
);

const ABOUT = 'upload';

/** What an address for an upload is good for. */
export interface Upload {
  deployment_id: string;
  upload_id: string;
  /** Of the archive, in hex; only that one is taken. */
  sha256?: string | undefined;
}

/**
 * A token that is good for one upload to one deployment, until `expiresAt` (ms since 1970). An archive whose digest is
 * known has the same place every time, so that a request that names it can be repeated.
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

/** Throws UploadRefused for a token that is not ours, or whose time is over. */
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

/** How a client names what it uploaded. */
export const objectPath = ({ deployment_id, upload_id }: Upload): string =>
  `uploads/${deployment_id}/${upload_id}.tar.gz`;
