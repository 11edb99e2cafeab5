import { Type } from 'typebox';
import { sqlState } from '../../platform/db/database.ts';
import { defineError } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { Caller, TracingDeps } from '../tracing-deps.ts';
import { HANDLE } from './repo.ts';
import { isReserved, setHandle, settingsOf } from './settings.ts';

const HandleTaken = defineError('HandleTaken', 409, (handle: string) => `The handle '${handle}' is taken`);

const Settings = Type.Object({
  id: Uuid,
  display_name: Type.String(),
  created_at: Timestamp,
  tenant_handle: Type.String(),
});
const tags = ['Workspace'];

/** The caller's workspace and identity (contract §1.13). */
export const settingsRoutes = ({ db }: TracingDeps): Route[] => {
  const view = async ({ tenant_id }: Caller) => ({
    id: tenant_id,
    display_name: 'Workspace',
    ...(await settingsOf(db, tenant_id)),
  });
  return [
    defineRoute({
      method: 'get',
      path: '/settings',
      operationId: 'getSettings',
      tags,
      summary: 'Read the workspace of the API key',
      responses: { 200: Settings },
      handle: ({ ctx }) => view(callerOf(ctx)),
    }),
    defineRoute({
      method: 'post',
      path: '/settings/handle',
      operationId: 'setHandle',
      tags,
      summary: "Set the workspace's public handle, under which its public prompts appear",
      body: Type.Object({ tenant_handle: Type.String({ pattern: HANDLE, maxLength: 100 }) }),
      responses: { 200: Settings, 409: Detail },
      async handle({ ctx, body: { tenant_handle } }) {
        const caller = callerOf(ctx);
        if (isReserved(tenant_handle, caller.tenant_id)) throw new HandleTaken(tenant_handle);
        await setHandle(db, caller.tenant_id, tenant_handle).catch((error: unknown) => {
          throw sqlState(error) === '23505' ? new HandleTaken(tenant_handle) : error;
        });
        return view(caller);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/auth',
      operationId: 'getAuth',
      tags,
      summary: 'Read the identity of the caller',
      responses: { 200: Type.Object({ tenant_id: Uuid, name: Type.String(), writes: Type.Boolean() }) },
      handle: ({ ctx }) => callerOf(ctx),
    }),
    ...['workspaces', 'tenants'].map((name) =>
      defineRoute({
        method: 'get',
        path: `/${name}`,
        operationId: name === 'tenants' ? 'listTenants' : 'listWorkspaces',
        tags,
        summary: "List the API key's workspaces; always one",
        responses: { 200: Type.Array(Settings) },
        handle: async ({ ctx }) => [await view(callerOf(ctx))],
      }),
    ),
  ];
};
