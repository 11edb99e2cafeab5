import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { JsonObject, Timestamp } from '../../platform/schema.ts';
import { principalOf, requireRole } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { page, PageQuery, Refusals } from '../wire.ts';
import { verifyChain } from './audit-chain.ts';
import { listChanges, readChanges } from './audit-repository.ts';

const AuditEntry = Type.Object({
  number: Type.Integer(),
  at: Timestamp,
  actor: Type.String(),
  action: Type.String(),
  target: Type.String(),
  detail: JsonObject,
  previous_hash: Type.String(),
  hash: Type.String(),
});

const Text = Type.Optional(Type.String());

export const auditRoutes = ({ db }: ControlPlaneDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/v2/audit',
    operationId: 'listChanges',
    tags: ['Access'],
    summary: 'List the audit log of the workspace, newest first (admins only)',
    query: Type.Object({ ...PageQuery.properties, action: Text, target: Text, actor: Text }),
    responses: { 200: page(AuditEntry), ...Refusals },
    async handle({ query, ctx }) {
      const principal = principalOf(ctx);
      requireRole(principal, 'admin');
      const rows = await listChanges(db, principal.tenant_id, query);
      const resources = rows.map(({ tenant_id: _tenant, detail, ...entry }) => ({
        ...entry,
        detail: JSON.parse(detail) as object,
      }));
      return { resources, offset: query.offset + rows.length };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/v2/audit/verification',
    operationId: 'verifyChanges',
    tags: ['Access'],
    summary: 'Verify that the audit log is unaltered (admins only)',
    responses: {
      200: Type.Object({
        valid: Type.Boolean(),
        entries: Type.Integer(),
        head: Type.String(),
        broken_at: Type.Union([Type.Integer(), Type.Null()]),
      }),
      ...Refusals,
    },
    async handle({ ctx }) {
      const principal = principalOf(ctx);
      requireRole(principal, 'admin');
      return verifyChain(readChanges(db, principal.tenant_id));
    },
  }),
];
