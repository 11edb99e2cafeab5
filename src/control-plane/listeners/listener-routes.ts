import { Type } from 'typebox';
import { inTransaction } from '../../platform/db/database.ts';
import { defineError, NotFound } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { newId, principalOf } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { page, PageQuery, Refusals } from '../wire.ts';
import { Listener, ListenerCreate, ListenerPatch } from './listener.ts';
import {
  deleteListener,
  findListener,
  insertListener,
  listListeners,
  updateListener,
} from './listener-repository.ts';

const ListenerTaken = defineError(
  'ListenerTaken',
  409,
  (computeId: string) => `A listener with compute_id '${computeId}' already exists.`,
);
const missing = (id: string) => new NotFound(`Listener ID ${id} not found.`);

export const listenerRoutes = ({ db }: ControlPlaneDeps, prefix: string): Route[] => {
  const route = { tags: ['Listeners (v2)'], hidden: prefix !== '' };
  const path = `${prefix}/v2/listeners`;
  const one = { path: `${path}/{listener_id}`, params: Type.Object({ listener_id: Uuid }) };
  return [
    defineRoute({
      ...route,
      method: 'get',
      path,
      operationId: 'listListeners',
      summary: 'List the data planes of the workspace, newest first',
      query: PageQuery,
      responses: { 200: page(Listener), ...Refusals },
      async handle({ query, ctx }) {
        const resources = await listListeners(db, principalOf(ctx).tenant_id, query);
        return { resources, offset: query.offset + resources.length };
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path,
      operationId: 'createListener',
      summary: 'Register a data plane',
      body: ListenerCreate,
      responses: { 201: Listener, 409: Detail, ...Refusals },
      async handle({ body, ctx }) {
        const principal = principalOf(ctx);
        const id = newId(principal, 'listener');
        const created = await inTransaction(db, async (tx) => {
          const listener = await insertListener(tx, principal.tenant_id, { ...body, id });
          if (!listener) throw new ListenerTaken(body.compute_id);
          await recordChange(tx, principal, {
            action: 'createListener',
            target: `listener/${id}`,
            detail: body,
          });
          return listener;
        });
        ctx.status = 201;
        return created;
      },
    }),
    defineRoute({
      ...route,
      ...one,
      method: 'get',
      operationId: 'getListener',
      summary: 'Get a data plane',
      responses: { 200: Listener, ...Refusals },
      async handle({ params: { listener_id }, ctx }) {
        const found = await findListener(db, principalOf(ctx).tenant_id, listener_id);
        if (!found) throw missing(listener_id);
        return found;
      },
    }),
    defineRoute({
      ...route,
      ...one,
      method: 'patch',
      operationId: 'patchListener',
      summary: 'Change a data plane',
      body: ListenerPatch,
      responses: { 200: Listener, ...Refusals },
      async handle({ params: { listener_id }, body, ctx }) {
        const principal = principalOf(ctx);
        return inTransaction(db, async (tx) => {
          const changed = await updateListener(tx, principal.tenant_id, listener_id, body);
          if (!changed) throw missing(listener_id);
          await recordChange(tx, principal, {
            action: 'patchListener',
            target: `listener/${listener_id}`,
            detail: body,
          });
          return changed;
        });
      },
    }),
    defineRoute({
      ...route,
      ...one,
      method: 'delete',
      operationId: 'deleteListener',
      summary: 'Remove a data plane',
      responses: { 204: { description: 'Deleted' }, ...Refusals },
      async handle({ params: { listener_id }, ctx }) {
        const principal = principalOf(ctx);
        await inTransaction(db, async (tx) => {
          if (!(await deleteListener(tx, principal.tenant_id, listener_id))) throw missing(listener_id);
          await recordChange(tx, principal, { action: 'deleteListener', target: `listener/${listener_id}` });
        });
      },
    }),
  ];
};
