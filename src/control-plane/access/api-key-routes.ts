import { Type } from 'typebox';
import { inTransaction } from '../../platform/db/database.ts';
import { NotFound } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { invalidField } from '../errors.ts';
import { page, PageQuery, Refusals } from '../wire.ts';
import { insertApiKey, listApiKeys, newApiKey, revokeApiKey } from './api-key-repository.ts';
import { principalOf, requireRole, ROLES } from '../principal.ts';

const Moment = Type.Union([Timestamp, Type.Null()]);
const ApiKey = Type.Object({
  id: Uuid,
  name: Type.String(),
  role: StringEnum(ROLES),
  /** Last characters of the key. */
  hint: Type.String(),
  created_at: Timestamp,
  expires_at: Moment,
  revoked_at: Moment,
});

const ApiKeyCreate = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  role: StringEnum(ROLES),
  expires_at: Type.Optional(Moment),
});

const NewApiKey = Type.Object({
  id: Uuid,
  name: Type.String(),
  role: StringEnum(ROLES),
  expires_at: Moment,
  /** Returned only here. */
  key: Type.String(),
});

export const apiKeyRoutes = ({ db }: ControlPlaneDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/v2/api-keys',
    operationId: 'listApiKeys',
    tags: ['Access'],
    summary: 'List the API keys of the workspace, newest first (admins only)',
    query: PageQuery,
    responses: { 200: page(ApiKey), ...Refusals },
    async handle({ query, ctx }) {
      const principal = principalOf(ctx);
      requireRole(principal, 'admin');
      const rows = await listApiKeys(db, principal.tenant_id, query);
      const resources = rows.map(({ tenant_id: _tenant, ...key }) => key);
      return { resources, offset: query.offset + rows.length };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/v2/api-keys',
    operationId: 'createApiKey',
    tags: ['Access'],
    summary: 'Create an API key for this workspace, returned once (admins only)',
    body: ApiKeyCreate,
    responses: { 201: NewApiKey, ...Refusals },
    async handle({ body: { name, role, expires_at = null }, ctx }) {
      const principal = principalOf(ctx);
      requireRole(principal, 'admin');
      if (expires_at && !(Date.parse(expires_at) > Date.now()))
        throw invalidField(['body', 'expires_at'], 'expires_at must be in the future');
      const { tenant_id } = principal;
      const key = newApiKey();
      const { id } = await inTransaction(db, async (tx) => {
        const expires = expires_at ? new Date(expires_at) : null;
        const made = await insertApiKey(tx, key, { tenant_id, name, role, expires_at: expires });
        const detail = { name, role, expires_at };
        await recordChange(tx, principal, { action: 'createApiKey', target: `api_key/${made.id}`, detail });
        return made;
      });
      ctx.status = 201;
      return { id, name, role, expires_at, key };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/v2/api-keys/{api_key_id}',
    operationId: 'revokeApiKey',
    tags: ['Access'],
    summary: 'Revoke an API key immediately (admins only)',
    params: Type.Object({ api_key_id: Uuid }),
    responses: { 204: { description: 'Revoked' }, ...Refusals },
    async handle({ params: { api_key_id }, ctx }) {
      const principal = principalOf(ctx);
      requireRole(principal, 'admin');
      await inTransaction(db, async (tx) => {
        if (!(await revokeApiKey(tx, principal.tenant_id, api_key_id)))
          throw new NotFound(`API key ID ${api_key_id} not found.`);
        await recordChange(tx, principal, { action: 'revokeApiKey', target: `api_key/${api_key_id}` });
      });
    },
  }),
];
