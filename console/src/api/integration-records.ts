/** A repository that can be selected for a deployment. */
export interface Repository {
  owner: string;
  name: string;
  url: string;
  default_branch: string;
}

/** A git host account (docs/control-plane-api.md, Git hosts). Its secrets are never returned. */
export interface Integration {
  id: string;
  name: string;
  kind: 'github' | 'gitlab';
  url: string;
  repositories: Repository[];
  /** Which of token, username, ssh_key and ssh_known_hosts are set. */
  credentials: string[];
  webhook_url: string;
  has_webhook_secret: boolean;
  created_at: string;
}

/** Changes to an integration. Missing fields stay, null clears. */
export interface IntegrationChanges {
  url?: string;
  repositories?: Repository[];
  token?: string | null;
  username?: string | null;
  ssh_key?: string | null;
  ssh_known_hosts?: string | null;
}
