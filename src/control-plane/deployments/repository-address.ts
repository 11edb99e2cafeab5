/** The address without user and password: it is shown to whoever may look. */
function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

/** A `source_config` that may be shown. */
export const shownConfig = (config: Record<string, unknown>): Record<string, unknown> =>
  typeof config['repo_url'] === 'string'
    ? { ...config, repo_url: withoutCredentials(config['repo_url']) }
    : config;
