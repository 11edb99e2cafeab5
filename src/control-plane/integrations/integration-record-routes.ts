import { Type } from 'typebox';
import { inTransaction } from '../../platform/db/database.ts';
import { NotFound } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { principalOf, requireRole } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Refusals } from '../wire.ts';
import {
  Integration,
  IntegrationCreate,
  IntegrationPatch,
  type IntegrationRow,
  WebhookSecret,
} from './integration.ts';
import { deleteIntegration, listIntegrations, openCredentials } from './integration-repository.ts';
import {
  createIntegration,
  patchIntegration,
  requireIntegration,
  rotateWebhookSecret,
} from './integration-service.ts';

const Rotated = Type.Object({
  webhook_url: Type.String(),
  /** Returned only here. */
  webhook_secret: Type.String(),
});

/** Git host accounts of a tenant: everyone reads, admins change; secrets are never returned. */
export const integrationRecordRoutes = (deps: ControlPlaneDeps): Route[] => {
  const { db, box, config } = deps;
  const route = { tags: ['Integrations'] };
  const path = '/v2/integrations';
  const one = { path: `${path}/{integration_id}`, params: Type.Object({ integration_id: Uuid }) };
  const webhookUrl = (id: string) => `${config.SLIPWAY_PUBLIC_URL}/v2/git-events/${id}`;
  const view = (row: IntegrationRow) => {
    const { tenant_id: _tenant, webhook_secret, credentials: _sealed, ...rest } = row;
    const credentials = Object.keys(openCredentials(box, row));
    return {
      ...rest,
      credentials,
      webhook_url: webhookUrl(row.id),
      has_webhook_secret: webhook_secret !== null,
    };
  };
  return [
    defineRoute({
      ...route,
      method: 'get',
      path,
      operationId: 'listIntegrations',
      summary: 'List the git host accounts of the workspace',
      responses: { 200: Type.Object({ resources: Type.Array(Integration) }), ...Refusals },
      handle: async ({ ctx }) => ({
        resources: (await listIntegrations(db, principalOf(ctx).tenant_id)).map(view),
      }),
    }),
    defineRoute({
      ...route,
      method: 'post',
      path,
      operationId: 'createIntegration',
      summary: 'Add a git host account; admins only',
      body: IntegrationCreate,
      responses: { 201: Integration, 409: Detail, ...Refusals },
      async handle({ body, ctx }) {
        const principal = principalOf(ctx);
        requireRole(principal, 'admin');
        ctx.status = 201;
        return view(await createIntegration(deps, principal, body));
      },
    }),
    defineRoute({
      ...route,
      ...one,
      method: 'get',
      operationId: 'getIntegration',
      summary: 'Get a git host account',
      responses: { 200: Integration, ...Refusals },
      handle: async ({ params: { integration_id }, ctx }) =>
        view(await requireIntegration(db, principalOf(ctx), integration_id)),
    }),
    defineRoute({
      ...route,
      ...one,
      method: 'patch',
      operationId: 'patchIntegration',
      summary: 'Change a git host account; null removes a secret; admins only',
      body: IntegrationPatch,
      responses: { 200: Integration, ...Refusals },
      async handle({ params: { integration_id }, body, ctx }) {
        const principal = principalOf(ctx);
        requireRole(principal, 'admin');
        return view(await patchIntegration(deps, principal, integration_id, body));
      },
    }),
    defineRoute({
      ...route,
      ...one,
      method: 'delete',
      operationId: 'deleteIntegration',
      summary: 'Remove a git host account; admins only',
      responses: { 204: { description: 'Removed' }, ...Refusals },
      async handle({ params: { integration_id }, ctx }) {
        const principal = principalOf(ctx);
        requireRole(principal, 'admin');
        await inTransaction(db, async (tx) => {
          if (!(await deleteIntegration(tx, principal.tenant_id, integration_id)))
            throw new NotFound(`Integration ID ${integration_id} not found.`);
          const target = `integration/${integration_id}`;
          await recordChange(tx, principal, { action: 'deleteIntegration', target });
        });
      },
    }),
    defineRoute({
      ...route,
      ...one,
      path: `${one.path}/webhook-secret`,
      method: 'post',
      operationId: 'rotateWebhookSecret',
      summary: 'Set or generate the webhook secret, returned once; admins only',
      body: Type.Object({ webhook_secret: Type.Optional(WebhookSecret) }),
      responses: { 200: Rotated, ...Refusals },
      async handle({ params: { integration_id }, body, ctx }) {
        const principal = principalOf(ctx);
        requireRole(principal, 'admin');
        const webhook_secret = await rotateWebhookSecret(
          deps,
          principal,
          integration_id,
          body.webhook_secret,
        );
        return { webhook_url: webhookUrl(integration_id), webhook_secret };
      },
    }),
  ];
};
