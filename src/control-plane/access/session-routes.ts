import { Type } from 'typebox';
import { inTransaction } from '../../platform/db/database.ts';
import { NotFound } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { page, PageQuery, Refusals } from '../wire.ts';
import { hasRole, principalOf, ROLES } from '../principal.ts';
import { clearCookie } from './session-cookie.ts';
import { listSessions, revokeSession } from './session-repository.ts';

const Moment = Type.Union([Timestamp, Type.Null()]);
const Role = StringEnum(ROLES);

const Caller = Type.Object({
  name: Type.String(),
  role: Role,
  tenant_id: Uuid,
  /** The workspaces to choose from with X-Tenant-Id. */
  grants: Type.Array(Type.Object({ tenant_id: Uuid, role: Role })),
  /** Null for callers not signed in from a browser. */
  session_id: Type.Union([Uuid, Type.Null()]),
  expires_at: Moment,
  /** Null when the Temporal UI's address isn't configured. */
  temporal_ui: Type.Union([Type.Object({ url: Type.String(), namespace: Type.String() }), Type.Null()]),
});

const ListedSession = Type.Object({
  id: Uuid,
  name: Type.String(),
  role: Role,
  method: StringEnum(['api_key', 'oidc']),
  user_agent: Type.Union([Type.String(), Type.Null()]),
  created_at: Timestamp,
  used_at: Timestamp,
  expires_at: Timestamp,
});

/** The caller and the sessions: admins see all of the workspace, others their own. */
export const sessionRoutes = ({ db, config, workflows }: ControlPlaneDeps): Route[] => {
  const route = { tags: ['Access'] };
  const url = config.SLIPWAY_TEMPORAL_UI_URL;
  return [
    defineRoute({
      ...route,
      method: 'get',
      path: '/v2/session',
      operationId: 'getSession',
      summary: 'Get the current caller and workspace',
      responses: { 200: Caller, ...Refusals },
      handle({ ctx }) {
        const { name, role, tenant_id, session } = principalOf(ctx);
        return {
          name,
          role,
          tenant_id,
          grants: session?.grants ?? [{ tenant_id, role }],
          session_id: session?.id ?? null,
          expires_at: session?.expires_at ?? null,
          temporal_ui: url ? { url: url.replace(/\/+$/, ''), namespace: workflows.namespace } : null,
        };
      },
    }),
    defineRoute({
      ...route,
      method: 'delete',
      path: '/v2/session',
      operationId: 'signOut',
      summary: 'Sign out',
      responses: { 204: { description: 'Signed out' }, ...Refusals },
      async handle({ ctx }) {
        const principal = principalOf(ctx);
        const id = principal.session?.id;
        clearCookie(ctx);
        if (!id) return;
        await inTransaction(db, async (tx) => {
          if (await revokeSession(tx, principal.tenant_id, id))
            await recordChange(tx, principal, { action: 'signOut', target: `session/${id}` });
        });
      },
    }),
    defineRoute({
      ...route,
      method: 'get',
      path: '/v2/sessions',
      operationId: 'listSessions',
      summary: 'List open sessions, newest first: your own, or all of the workspace for admins',
      query: PageQuery,
      responses: { 200: page(ListedSession), ...Refusals },
      async handle({ query, ctx }) {
        const principal = principalOf(ctx);
        const name = hasRole(principal, 'admin') ? undefined : principal.name;
        const resources = await listSessions(db, principal.tenant_id, { ...query, name });
        return { resources, offset: query.offset + resources.length };
      },
    }),
    defineRoute({
      ...route,
      method: 'delete',
      path: '/v2/sessions/{session_id}',
      operationId: 'revokeSession',
      summary: 'End a session immediately',
      params: Type.Object({ session_id: Uuid }),
      responses: { 204: { description: 'Ended' }, ...Refusals },
      async handle({ params: { session_id }, ctx }) {
        const principal = principalOf(ctx);
        const name = hasRole(principal, 'admin') ? undefined : principal.name;
        await inTransaction(db, async (tx) => {
          if (!(await revokeSession(tx, principal.tenant_id, session_id, name)))
            throw new NotFound(`Session ID ${session_id} not found.`);
          await recordChange(tx, principal, { action: 'revokeSession', target: `session/${session_id}` });
        });
      },
    }),
  ];
};
