import type { Integration, IntegrationChanges } from '../../api/integration-records.ts';

/** Secrets of an integration and their labels. */
export const CREDENTIAL_NAMES = {
  token: 'token',
  username: 'user',
  ssh_key: 'SSH key',
  ssh_known_hosts: 'known hosts',
} as const;
export type CredentialName = keyof typeof CREDENTIAL_NAMES;
const NAMES = Object.keys(CREDENTIAL_NAMES) as CredentialName[];

export const keptCredentials = (integration?: Integration): CredentialName[] =>
  NAMES.filter((name) => integration?.credentials.includes(name));

/** Changed and removed credentials. Files get a trailing newline. */
export function changedCredentials(
  given: Record<CredentialName, string>,
  removed: string[],
): Pick<IntegrationChanges, CredentialName> {
  const changes = NAMES.flatMap((name): [CredentialName, string | null][] => {
    const text = given[name].trim();
    if (text) return [[name, name.startsWith('ssh_') ? `${text}\n` : text]];
    return removed.includes(name) ? [[name, null]] : [];
  });
  return Object.fromEntries(changes);
}
