/**
 * Variables that images built by other clients set instead of a config file (control plane contract §4.8), by config
 * key.
 */
const VARIABLES = {
  graphs: 'LANGSERVE_GRAPHS',
  auth: 'LANGGRAPH_AUTH',
  store: 'LANGGRAPH_STORE',
  checkpointer: 'LANGGRAPH_CHECKPOINTER',
  http: 'LANGGRAPH_HTTP',
  webhooks: 'LANGGRAPH_WEBHOOKS',
  encryption: 'LANGGRAPH_ENCRYPTION',
  ui: 'LANGGRAPH_UI',
  ui_config: 'LANGGRAPH_UI_CONFIG',
};

/** Set if the image has such a configuration. */
export const IMAGE_GRAPHS = VARIABLES.graphs;

/**
 * Reads an image's configuration without validating it; undefined if there is none. `parse` parses a variable's JSON.
 */
export function readImageConfig(
  env: NodeJS.ProcessEnv,
  parse: (text: string, name: string) => unknown,
): Record<string, unknown> | undefined {
  if (!env[IMAGE_GRAPHS]) return undefined;
  const named = Object.entries(VARIABLES).filter(([, name]) => env[name]);
  return Object.fromEntries(named.map(([key, name]) => [key, parse(env[name]!, name)]));
}
