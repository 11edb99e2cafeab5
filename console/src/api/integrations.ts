import { queryOptions } from '@tanstack/react-query';
import type { Answers } from './control-plane-answers.ts';
import { get, patch, post, remove } from './http.ts';
import type { Integration, IntegrationChanges } from './integration-records.ts';

const PATH = '/v2/integrations';

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => (await get<Answers['listIntegrations']>(PATH, { signal })).resources,
});

export const createIntegration = (
  body: { name: string; kind: string } & IntegrationChanges,
): Promise<Integration> => post(PATH, body);
export const patchIntegration = (id: string, body: IntegrationChanges): Promise<Integration> =>
  patch(`${PATH}/${id}`, body);
export const deleteIntegration = (id: string): Promise<void> => remove(`${PATH}/${id}`);

/** Creates a webhook secret and invalidates the previous one. */
export const rotateWebhookSecret = (id: string): Promise<Answers['rotateWebhookSecret']> =>
  post(`${PATH}/${id}/webhook-secret`, {});
