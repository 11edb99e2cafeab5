/** The two vocabularies of the field (contract §0): ours, and that of the clients in use. */
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
/** Every spelling a request may use. */
export const SOURCE_SPELLINGS = [...SOURCES, ...Object.values(CLIENT_WORDS)] as const;

/** Whether something must be built before it can run. */
export const isBuilt = (source: Source): boolean => source === 'git_host' || source === 'internal_source';

export const plainSource = (source: string): Source => (PLAIN_WORDS[source] ?? source) as Source;

export const sourceIn = (vocabulary: Vocabulary, source: Source): string =>
  vocabulary === 'client' ? ((CLIENT_WORDS as Record<string, string>)[source] ?? source) : source;

/** A revision's configuration as a request wrote it, in our words. */
export function plainConfig(config: Record<string, unknown> = {}): Record<string, unknown> {
  const { langgraph_config_path, graph_config_path, ...rest } = config;
  const path = graph_config_path ?? langgraph_config_path;
  return path === undefined ? rest : { ...rest, graph_config_path: path };
}

/** The same as an answer writes it. */
export function configIn(vocabulary: Vocabulary, config: Record<string, unknown>): Record<string, unknown> {
  if (vocabulary === 'plain') return config;
  const { graph_config_path = null, ...rest } = config;
  return { ...rest, langgraph_config_path: graph_config_path };
}
