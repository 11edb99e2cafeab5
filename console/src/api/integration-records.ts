import type { Answers } from './control-plane-answers.ts';

/** A git host account (docs/control-plane-api.md, Git hosts). Its secrets are never returned. */
export type Integration = Answers['listIntegrations']['resources'][number];
/** A repository that can be selected for a deployment. */
export type Repository = Integration['repositories'][number];

/** Changes to an integration. Missing fields stay, null clears. */
export interface IntegrationChanges {
  url?: string;
  repositories?: Repository[];
  token?: string | null;
  username?: string | null;
  ssh_key?: string | null;
  ssh_known_hosts?: string | null;
}
