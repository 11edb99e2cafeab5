import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials, IntegrationKind } from '../integrations/integration.ts';
import type { GitAddress } from '../records/git-address.ts';

/** Variables with git credentials; the build itself doesn't get them. */
export const GIT_VARIABLES = ['GIT_TOKEN', 'GIT_USERNAME', 'GIT_SSH_KEY', 'GIT_SSH_KNOWN_HOSTS'] as const;

/** An integration's credentials, valid for its own host. */
export interface LentCredentials extends Credentials {
  kind: IntegrationKind;
  url: string;
}

/**
 * A revision's credentials, completed from its integration. The integration's token and key go to its own host only,
 * so that a chosen repo_url can't leak them.
 */
export function withLent(
  { url, protocol, host }: GitAddress,
  secrets: Record<string, string>,
  lent: LentCredentials | undefined,
): Record<string, string> {
  if (!lent) return secrets;
  const home = new URL(lent.url);
  const { GIT_TOKEN, GIT_SSH_KEY, GIT_SSH_KNOWN_HOSTS } = secrets;
  if (protocol === 'ssh') {
    if (GIT_SSH_KEY || !lent.ssh_key || host.toLowerCase() !== home.hostname) return secrets;
    const known = GIT_SSH_KNOWN_HOSTS ?? lent.ssh_known_hosts;
    return { ...secrets, GIT_SSH_KEY: lent.ssh_key, ...(known && { GIT_SSH_KNOWN_HOSTS: known }) };
  }
  if (GIT_TOKEN || !lent.token || protocol === 'file' || new URL(url).origin !== home.origin) return secrets;
  const user = lent.username ?? (lent.kind === 'gitlab' ? 'oauth2' : 'x-access-token');
  return { ...secrets, GIT_TOKEN: lent.token, GIT_USERNAME: user };
}

export interface GitAccess {
  /** `name=value` settings of git, hidden from other processes. */
  settings: [string, string][];
  env: Record<string, string>;
}

/** The token for https, limited to this host. */
export function tokenAccess(
  { url }: GitAddress,
  { GIT_TOKEN: token, GIT_USERNAME: user = 'x-access-token' }: Record<string, string>,
): GitAccess {
  if (!token) return { settings: [], env: {} };
  const basic = Buffer.from(`${user}:${token.trim()}`).toString('base64');
  return {
    settings: [[`http.${new URL(url).origin}/.extraHeader`, `Authorization: Basic ${basic}`]],
    env: {},
  };
}

/**
 * Key and known hosts for ssh, in files of `folder`, which git sees as `$CACHE`. Without `isPinned` an unknown host's
 * key is trusted and remembered.
 */
export async function sshAccess(
  folder: string,
  key: string | undefined,
  host: { address: string; alias: string; keys: string; isPinned: boolean },
): Promise<GitAccess> {
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), `${text.trim()}\n`, { mode: 0o600 });
    return `"\${CACHE}/${name}"`;
  };
  const config = [
    `HostName ${host.address}`,
    `HostKeyAlias ${host.alias}`,
    'BatchMode yes',
    'ConnectTimeout 15',
    'PasswordAuthentication no',
    'IdentitiesOnly yes',
    `IdentityFile ${key ? await file('key', key) : 'none'}`,
    'IdentityAgent none',
    'ForwardAgent no',
    `UserKnownHostsFile ${await file('known_hosts', host.keys)}`,
    `StrictHostKeyChecking ${host.isPinned ? 'yes' : 'accept-new'}`,
  ];
  // git runs the command through a shell.
  return { settings: [], env: { GIT_SSH_COMMAND: `ssh -F ${await file('config', config.join('\n'))}` } };
}
