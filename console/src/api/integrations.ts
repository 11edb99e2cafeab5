import { queryOptions } from '@tanstack/react-query';
import { get, patch, post, remove } from './http.ts';

/** An account at a git host (docs/control-plane-api.md, Git hosts). What is secret of it is never told. */
export interface Integration {
  id: string;
  name: string;
  kind: 'github' | 'gitlab';
  url: string;
  /** Which of token, username, ssh_key and ssh_known_hosts it has. */
  credentials: string[];
  webhook_url: string;
  has_webhook_secret: boolean;
  created_at: string;
}

/** What lets the platform in; what is left out stays as it is. */
export interface Credentials {
  token?: string;
  ssh_key?: string;
}

const PATH = '/v2/integrations';

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => (await get<{ resources: Integration[] }>(PATH, { signal })).resources,
});

export const createIntegration = (
  body: { name: string; kind: string; url?: string } & Credentials,
): Promise<Integration> => post(PATH, body);
export const patchIntegration = (id: string, body: Credentials): Promise<Integration> =>
  patch(`${PATH}/${id}`, body);
export const deleteIntegration = (id: string): Promise<void> => remove(`${PATH}/${id}`);

/** Makes the secret that events are signed with; the one before is good no longer. */
export const rotateWebhookSecret = (id: string): Promise<{ webhook_url: string; webhook_secret: string }> =>
  post(`${PATH}/${id}/webhook-secret`, {});
