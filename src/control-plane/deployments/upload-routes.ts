import { Type } from 'typebox';
import { TooLarge } from '../../platform/errors.ts';
import { allowToReceive } from '../../platform/http/receive-limit.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import { BuildFolders } from '../build-folders.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { DeploymentPath } from './deployment-routes.ts';
import { requireDeployment } from './deployment-service.ts';
import { Refusals } from '../wire.ts';
import { storeUpload } from '../uploads/upload-store.ts';
import { issueUpload, objectPath, readUpload } from '../uploads/upload-token.ts';

const UploadUrlRequest = Type.Object({
  supports_upload_headers: Type.Optional(Type.Boolean()),
  /** Hex digest of the archive; the same archive then gets the same `object_path`. */
  sha256: Type.Optional(Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()])),
});

const UploadUrl = Type.Object({
  /** Where to PUT the archive; expires. */
  upload_url: Type.String(),
  /** The value for `source_tarball_path`. */
  object_path: Type.String(),
  upload_headers: Type.Record(Type.String(), Type.String()),
});

/** Issues addresses for uploading project archives (contract §4.4). */
export const uploadUrlRoutes = (deps: ControlPlaneDeps, prefix: string): Route[] => [
  defineRoute({
    method: 'post',
    path: `${prefix}/v2/deployments/{deployment_id}/upload-url`,
    operationId: 'createUploadUrl',
    tags: ['Deployments (v2)'],
    summary: 'Get an address for uploading a project',
    hidden: prefix !== '',
    params: DeploymentPath,
    body: UploadUrlRequest,
    responses: { 200: UploadUrl, ...Refusals },
    async handle({ params: { deployment_id }, body: { sha256 }, ctx }) {
      const { box, config, db } = deps;
      await requireDeployment(db, principalOf(ctx), deployment_id);
      const expiresAt = Date.now() + config.SLIPWAY_UPLOAD_SECONDS * 1000;
      const { token, ...upload } = issueUpload(box, deployment_id, expiresAt, sha256 ?? undefined);
      return {
        upload_url: `${config.SLIPWAY_PUBLIC_URL.replace(/\/$/, '')}/v2/uploads/${token}`,
        object_path: objectPath(upload),
        upload_headers: { 'Content-Type': 'application/gzip' },
      };
    },
  }),
];

/** Receives an archive; the address itself authorises the upload. */
export const uploadRoutes = ({ box, config }: ControlPlaneDeps): Route[] => [
  defineRoute({
    method: 'put',
    path: '/v2/uploads/{token}',
    operationId: 'upload',
    tags: ['Deployments (v2)'],
    summary: 'Upload a project archive (.tar.gz)',
    params: Type.Object({ token: Type.String() }),
    responses: { 200: Type.Object({}), 403: Detail, 409: Detail, 413: Detail, 422: Detail },
    async handle({ params: { token }, ctx }) {
      const upload = readUpload(box, token);
      allowToReceive(ctx.req, config.SLIPWAY_RECEIVE_SECONDS * 1000);
      const limit = config.SLIPWAY_UPLOAD_LIMIT_BYTES;
      try {
        if (Number(ctx.get('content-length')) > limit) throw new TooLarge(limit);
        await storeUpload(new BuildFolders(config.SLIPWAY_DATA_DIR), upload, ctx.req, limit);
      } catch (error) {
        // Doesn't wait for the rest of the body.
        ctx.set('connection', 'close');
        throw error;
      }
      return {};
    },
  }),
];
