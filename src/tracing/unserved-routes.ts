import { Type } from 'typebox';
import { defineError } from '../platform/errors.ts';
import { defineRoute, type Method, type Route } from '../platform/http/route.ts';
import { Detail } from '../platform/schema.ts';

const NotServed = defineError('NotServed', 404, (what: string) => what);

const tags = ['System'];
const METHODS: Method[] = ['get', 'post'];

/** Endpoints clients know that have nothing to do here: reports to a vendor, and generation by a hosted model. */
export const unservedRoutes = (): Route[] => [
  ...['/v1/beacon', '/beacon', '/v1/metadata/submit', '/metadata/submit'].map((path) =>
    defineRoute({
      method: 'post',
      path,
      operationId: 'ignoreReport',
      tags,
      summary: 'Accepted, and ignored: nothing is reported to anyone',
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
      summary: 'Not served: it needs a model of the host',
      responses: { 404: Detail },
      handle() {
        throw new NotServed('Generation is not served here: the platform has no model of its own');
      },
    }),
  ),
];
