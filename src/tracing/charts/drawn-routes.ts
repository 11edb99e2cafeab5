import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { BucketInfo } from './chart.ts';

/** A saved resource that is read with points: a chart or a chart section. */
export interface Drawn<Kept, Patch extends TObject> {
  /** Used in operation ids and descriptions. */
  name: 'Chart' | 'Section';
  path: string;
  kept: TSchema;
  patch: Patch;
  /** Schema including the points. */
  data: TSchema;
  notFound: new (id: string) => Error;
  find(tenantId: string, id: string): Promise<Kept | undefined>;
  draw(tenantId: string, kept: Kept, bucket: BucketInfo): Promise<object>;
  update(tenantId: string, id: string, patch: Static<Patch>): Promise<Kept | undefined>;
  remove(tenantId: string, id: string): Promise<boolean>;
}

/** Routes to read, update and delete one. */
export function drawnRoutes<Kept, Patch extends TObject>(drawn: Drawn<Kept, Patch>): Route[] {
  const { name, notFound: NotFound } = drawn;
  const noun = name.toLowerCase();
  const one = { path: `${drawn.path}/{id}`, params: Type.Object({ id: Uuid }), tags: ['Charts'] };
  return [
    defineRoute({
      ...one,
      method: 'post',
      operationId: `read${name}`,
      summary: `Read a ${noun} with its points`,
      body: BucketInfo,
      responses: { 200: drawn.data, 404: Detail },
      async handle({ ctx, params: { id }, body }) {
        const { tenant_id } = callerOf(ctx);
        const kept = await drawn.find(tenant_id, id);
        if (!kept) throw new NotFound(id);
        return drawn.draw(tenant_id, kept, body);
      },
    }),
    defineRoute({
      ...one,
      method: 'patch',
      operationId: `update${name}`,
      summary: `Update a ${noun}`,
      body: drawn.patch,
      responses: { 200: drawn.kept, 404: Detail },
      async handle({ ctx, params: { id }, body }) {
        const kept = await drawn.update(callerOf(ctx).tenant_id, id, body as Static<Patch>);
        if (!kept) throw new NotFound(id);
        return kept;
      },
    }),
    defineRoute({
      ...one,
      method: 'delete',
      operationId: `delete${name}`,
      summary: `Delete a ${noun} and its contents`,
      responses: { 204: { description: 'Deleted' }, 404: Detail },
      async handle({ ctx, params: { id } }) {
        if (!(await drawn.remove(callerOf(ctx).tenant_id, id))) throw new NotFound(id);
      },
    }),
  ];
}
