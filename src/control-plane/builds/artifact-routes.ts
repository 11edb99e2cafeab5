import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { create } from 'tar';
import { Type } from 'typebox';
import { defineError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { artifactFolder } from '../build-folders.ts';
import { readArtifactToken } from './artifact-token.ts';

const ArtifactGone = defineError('ArtifactGone', 404, () => 'This artifact has been deleted');

/** Serves artifacts to remote data planes; the address itself authorises the download. */
export const artifactRoutes = ({ box, config }: ControlPlaneDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/v2/artifacts/{token}',
    operationId: 'getArtifact',
    tags: ['Deployments (v2)'],
    summary: 'Read an artifact, as .tar',
    params: Type.Object({ token: Type.String() }),
    responses: {
      200: { description: 'The project as it was built', content: 'application/x-tar' },
      403: Detail,
      404: Detail,
    },
    async handle({ params: { token }, ctx }) {
      const folder = artifactFolder(config.SLIPWAY_DATA_DIR, readArtifactToken(box, token));
      const names = await readdir(folder).catch(() => {
        throw new ArtifactGone();
      });
      // A bare name could be read as an option.
      const paths = names.map((name) => `./${name}`);
      ctx.type = 'application/x-tar';
      ctx.set('cache-control', 'no-store');
      ctx.body = Readable.from(create({ cwd: folder, portable: true, preservePaths: true }, paths));
    },
  }),
];
