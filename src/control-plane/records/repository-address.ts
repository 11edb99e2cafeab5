/** Strips user and password, because every viewer sees the address. */
function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

/** A `source_config` without credentials. */
export const shownConfig = (config: Record<string, unknown>): Record<string, unknown> =>
  typeof config['repo_url'] === 'string'
    ? { ...config, repo_url: withoutCredentials(config['repo_url']) }
    : config;
