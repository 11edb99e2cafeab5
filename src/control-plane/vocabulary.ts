/** The two vocabularies (contract §0): ours, and that of existing clients. */
export type Vocabulary = 'plain' | 'client';

const CLIENT_WORDS = {
  git_host: 'github',
  external_container: 'external_docker',
  internal_container: 'internal_docker',
} as const;

const PLAIN_WORDS: Record<string, string> = Object.fromEntries(
  Object.entries(CLIENT_WORDS).map(([plain, client]) => [client, plain]),
);

export const SOURCES = ['git_host', 'external_container', 'internal_container', 'internal_source'] as const;
export type Source = (typeof SOURCES)[number];
/** Every accepted spelling. */
export const SOURCE_SPELLINGS = [...SOURCES, ...Object.values(CLIENT_WORDS)] as const;

/** Whether the source needs a build. */
export const isBuilt = (source: Source): boolean => source === 'git_host' || source === 'internal_source';

export const plainSource = (source: string): Source => (PLAIN_WORDS[source] ?? source) as Source;

export const sourceIn = (vocabulary: Vocabulary, source: Source): string =>
  vocabulary === 'client' ? ((CLIENT_WORDS as Record<string, string>)[source] ?? source) : source;

/** Translates a revision's configuration from a request into our vocabulary. */
export function plainConfig(config: Record<string, unknown> = {}): Record<string, unknown> {
  const { langgraph_config_path, graph_config_path, ...rest } = config;
  const path = graph_config_path ?? langgraph_config_path;
  return path === undefined ? rest : { ...rest, graph_config_path: path };
}

/** Translates a configuration into the caller's vocabulary. */
export function configIn(vocabulary: Vocabulary, config: Record<string, unknown>): Record<string, unknown> {
  if (vocabulary === 'plain') return config;
  const { graph_config_path = null, ...rest } = config;
  return { ...rest, langgraph_config_path: graph_config_path };
}
