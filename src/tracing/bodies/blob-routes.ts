import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import { BlobNotFound, Expired } from '../errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { blobPurpose } from './attachments.ts';
import { readBlobLink } from './blob-links.ts';
import { findBlob } from './blob-repository.ts';

// Types that browsers display without running scripts. SVG can run them.
const SHOWN = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain$|application\/pdf$|application\/json$)[\w.+-]*/;

/** Downloads of attachments by expiring link (contract §1.10). */
export const blobRoutes = ({ db, box }: TracingDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/public/download',
    operationId: 'downloadBlob',
    tags: ['Runs'],
    summary: 'Download an attachment by an expiring link',
    query: Type.Object({ token: Type.String() }),
    responses: {
      200: { description: 'The content', content: 'application/octet-stream' },
      404: Detail,
      410: Detail,
    },
    handle: async ({ ctx, query: { token } }) => {
      const grant = readBlobLink({ box }, token);
      if (!grant) throw new BlobNotFound();
      if (grant.expires <= Date.now()) throw new Expired();
      const sha256 = Buffer.from(grant.sha256, 'hex');
      const bytes = await findBlob(db, grant.tenant_id, sha256);
      if (!bytes) throw new BlobNotFound();
      // The uploader chose the type, so it must not execute on this origin.
      const isShown = SHOWN.test(grant.mime_type);
      ctx.set({
        'content-type': isShown ? grant.mime_type : 'application/octet-stream',
        'content-disposition': isShown ? 'inline' : 'attachment',
        'content-security-policy': `default-src 'none'; sandbox`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, max-age=3600, immutable',
        'access-control-allow-origin': '*',
      });
      ctx.body = box.openBytes(bytes, blobPurpose(grant.tenant_id, sha256));
    },
  }),
];
