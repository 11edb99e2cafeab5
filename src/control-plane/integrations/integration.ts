import { type Static, Type } from 'typebox';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';

export const INTEGRATION_KINDS = ['github', 'gitlab'] as const;
export type IntegrationKind = (typeof INTEGRATION_KINDS)[number];

const HttpUrl = Type.String({ pattern: '^https?://[^\\s@?#]+$', maxLength: 500 });
const Secret = (maxLength: number) => Type.Union([Type.String({ minLength: 1, maxLength }), Type.Null()]);
export const WebhookSecret = Type.String({ minLength: 16, maxLength: 500, pattern: '^[\\x21-\\x7e]+$' });

export const Repository = Type.Object({
  owner: Type.String(),
  name: Type.String(),
  url: Type.String(),
  default_branch: Type.String({ default: 'main' }),
});
export type Repository = Static<typeof Repository>;

/** Stored sealed and never returned; null removes. */
const credentials = {
  token: Type.Optional(Secret(10_000)),
  /** User name for hosts that require one with the token. */
  username: Type.Optional(Secret(255)),
  /** Private key for ssh addresses. */
  ssh_key: Type.Optional(Secret(20_000)),
  /** Lines of known_hosts; with them no other host key is accepted. */
  ssh_known_hosts: Type.Optional(Secret(100_000)),
};

const changeable = {
  url: Type.Optional(HttpUrl),
  api_url: Type.Optional(HttpUrl),
  repositories: Type.Optional(Type.Array(Repository, { maxItems: 1_000 })),
  ...credentials,
};

export const IntegrationCreate = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  kind: StringEnum(INTEGRATION_KINDS),
  webhook_secret: Type.Optional(WebhookSecret),
  ...changeable,
});
export const IntegrationPatch = Type.Object(changeable);

export const Integration = Type.Object({
  id: Uuid,
  name: Type.String(),
  kind: StringEnum(INTEGRATION_KINDS),
  url: Type.String(),
  api_url: Type.String(),
  repositories: Type.Array(Repository),
  /** Which of token, username, ssh_key and ssh_known_hosts are set. */
  credentials: Type.Array(Type.String()),
  /** Webhook address for the git host. */
  webhook_url: Type.String(),
  has_webhook_secret: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** Decrypted credentials. */
export interface Credentials {
  token?: string;
  username?: string;
  ssh_key?: string;
  ssh_known_hosts?: string;
}

/** A git host account, as stored. */
export interface IntegrationRow {
  id: string;
  tenant_id: string;
  name: string;
  kind: IntegrationKind;
  url: string;
  api_url: string;
  credentials: Buffer | null;
  webhook_secret: Buffer | null;
  repositories: Repository[];
  created_at: string;
  updated_at: string;
}

const HOSTED: Record<IntegrationKind, string> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
};

/** Default addresses of a host and its API: the hosted service, or the usual path of a self-hosted one. */
export function addressesOf(
  kind: IntegrationKind,
  { url = HOSTED[kind], api_url }: { url?: string | undefined; api_url?: string | undefined },
): { url: string; api_url: string } {
  const base = url.replace(/\/+$/, '');
  const own = kind === 'gitlab' ? `${base}/api/v4` : `${base}/api/v3`;
  const usual = base === HOSTED.github ? 'https://api.github.com' : own;
  return { url: base, api_url: (api_url ?? usual).replace(/\/+$/, '') };
}
