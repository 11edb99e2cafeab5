import type { Context } from 'koa';
import { publicAddress } from '../../platform/http/public-address.ts';
import type { TracingDeps } from '../tracing-deps.ts';

/** Contents of a download token. Sealing makes it unforgeable. */
interface BlobGrant {
  tenant_id: string;
  /** Hexadecimal. */
  sha256: string;
  mime_type: string;
  /** Milliseconds since 1970. */
  expires: number;
}

const PURPOSE = 'tracing blob link';

/** Returns a URL that anyone may read until it expires. */
export type BlobLink = (tenantId: string, sha256: Buffer, mimeType: string) => string;

export type LinkDeps = Pick<TracingDeps, 'box' | 'config'>;

/** Creates links below the address that the caller used. */
export function blobLinks({ box, config }: LinkDeps, ctx: Context): BlobLink {
  const { protocol, host, prefix } = publicAddress(ctx);
  const expires = Date.now() + config.SLIPWAY_TRACE_LINK_SECONDS * 1_000;
  return (tenant_id, sha256, mime_type) => {
    const grant: BlobGrant = { tenant_id, sha256: sha256.toString('hex'), mime_type, expires };
    const token = box.sealBytes(Buffer.from(JSON.stringify(grant)), PURPOSE).toString('base64url');
    return `${protocol}://${host}${prefix}/api/v1/public/download?token=${token}`;
  };
}

/** Undefined for an invalid token. */
export function readBlobLink({ box }: Pick<LinkDeps, 'box'>, token: string): BlobGrant | undefined {
  try {
    return JSON.parse(box.openBytes(Buffer.from(token, 'base64url'), PURPOSE).toString('utf8')) as BlobGrant;
  } catch {
    return undefined;
  }
}

/** `attachment.<name>` → link and type, as clients expect it (contract §1.10). */
export const attachmentUrls = (
  link: BlobLink,
  tenantId: string,
  attached: { name: string; mime_type: string; sha256: Buffer }[] = [],
) =>
  Object.fromEntries(
    attached.map(({ name, mime_type, sha256 }) => [
      `attachment.${name}`,
      { presigned_url: link(tenantId, sha256, mime_type), mime_type },
    ]),
  );
