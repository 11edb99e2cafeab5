import { Type } from 'typebox';
import { TooLarge } from '../../platform/errors.ts';
import { allowToReceive } from '../../platform/http/receive-limit.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import { principalOf } from '../access/principal.ts';
import { BuildFolders } from '../builds/build-folders.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { DeploymentPath } from '../deployments/deployment-routes.ts';
import { requireDeployment } from '../deployments/deployment-service.ts';
import { Refusals } from '../wire.ts';
import { storeUpload } from './upload-store.ts';
import { issueUpload, objectPath, readUpload } from './upload-token.ts';

const UploadUrlRequest = Type.Object({
  supports_upload_headers: Type.Optional(Type.Boolean()),
  /** Of the archive, in hex: the same archive has the same `object_path` then. */
  sha256: Type.Optional(Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()])),
});

const UploadUrl = Type.Object({
  /** Where to PUT the archive; good for a while. */
  upload_url: Type.String(),
  /** What to name as `source_tarball_path` afterwards. */
  object_path: Type.String(),
  upload_headers: Type.Record(Type.String(), Type.String()),
});

/** Asks for an address to upload a project's archive to (contract §4.4). */
export const uploadUrlRoutes = (deps: ControlPlaneDeps, prefix: string): Route[] => [
  defineRoute({
    method: 'post',
    path: `${prefix}/v2/deployments/{deployment_id}/upload-url`,
    operationId: 'createUploadUrl',
    tags: ['Deployments (v2)'],
    summary: 'Get an address to upload a project to',
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

/** Takes the archive; the address itself says who may. */
export const uploadRoutes = ({ box, config }: ControlPlaneDeps): Route[] => [
  defineRoute({
    method: 'put',
    path: '/v2/uploads/{token}',
    operationId: 'upload',
    tags: ['Deployments (v2)'],
    summary: 'Upload the archive of a project, as .tar.gz',
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
        // What is still on its way is not waited for.
        ctx.set('connection', 'close');
        throw error;
      }
      return {};
    },
  }),
];
