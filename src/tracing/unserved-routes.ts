import { Type } from 'typebox';
import { defineError } from '../platform/errors.ts';
import { defineRoute, type Method, type Route } from '../platform/http/route.ts';
import { Detail } from '../platform/schema.ts';

const NotServed = defineError('NotServed', 404, (what: string) => what);

const tags = ['System'];
const METHODS: Method[] = ['get', 'post'];

/** Endpoints that clients call but that do nothing here: vendor telemetry and hosted generation. */
export const unservedRoutes = (): Route[] => [
  ...['/v1/beacon', '/beacon', '/v1/metadata/submit', '/metadata/submit'].map((path) =>
    defineRoute({
      method: 'post',
      path,
      operationId: 'ignoreReport',
      tags,
      summary: 'Accept and discard telemetry',
      hidden: path !== '/v1/beacon',
      responses: { 202: Type.Object({ message: Type.String() }) },
      handle({ ctx }) {
        ctx.status = 202;
        return { message: 'Accepted and ignored' };
      },
    }),
  ),
  ...METHODS.map((method) =>
    defineRoute({
      method,
      path: '/generate',
      operationId: `${method}Generate`,
      tags,
      summary: 'Not available: requires a hosted model',
      responses: { 404: Detail },
      handle() {
        throw new NotServed('Generation is not available: the platform has no hosted model');
      },
    }),
  ),
];
