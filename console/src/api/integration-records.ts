/** One that may be chosen when a deployment is made. */
export interface Repository {
  owner: string;
  name: string;
  url: string;
  default_branch: string;
}

/** An account at a git host (docs/control-plane-api.md, Git hosts). What is secret of it is never told. */
export interface Integration {
  id: string;
  name: string;
  kind: 'github' | 'gitlab';
  url: string;
  repositories: Repository[];
  /** Which of token, username, ssh_key and ssh_known_hosts it has. */
  credentials: string[];
  webhook_url: string;
  has_webhook_secret: boolean;
  created_at: string;
}

/** What lets the platform in, and what is told of it. What is left out stays as it is; null takes it away. */
export interface IntegrationChanges {
  url?: string;
  repositories?: Repository[];
  token?: string | null;
  username?: string | null;
  ssh_key?: string | null;
  ssh_known_hosts?: string | null;
}
