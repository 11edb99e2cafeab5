import { queryOptions } from '@tanstack/react-query';
import { get, patch, post, remove } from './http.ts';
import type { Integration, IntegrationChanges } from './integration-records.ts';

const PATH = '/v2/integrations';

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => (await get<{ resources: Integration[] }>(PATH, { signal })).resources,
});

export const createIntegration = (
  body: { name: string; kind: string } & IntegrationChanges,
): Promise<Integration> => post(PATH, body);
export const patchIntegration = (id: string, body: IntegrationChanges): Promise<Integration> =>
  patch(`${PATH}/${id}`, body);
export const deleteIntegration = (id: string): Promise<void> => remove(`${PATH}/${id}`);

/** Creates a webhook secret and invalidates the previous one. */
export const rotateWebhookSecret = (id: string): Promise<{ webhook_url: string; webhook_secret: string }> =>
  post(`${PATH}/${id}/webhook-secret`, {});
