/** What images that the field's clients build have instead of a file (control plane contract §4.8), by its key in the file. */
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

/** The variable that says there is such a configuration. */
export const IMAGE_GRAPHS = VARIABLES.graphs;

/** The configuration of an image, not checked yet; undefined where there is none. `parse` reads the JSON of a variable. */
export function readImageConfig(
  env: NodeJS.ProcessEnv,
  parse: (text: string, name: string) => unknown,
): Record<string, unknown> | undefined {
  if (!env[IMAGE_GRAPHS]) return undefined;
  const named = Object.entries(VARIABLES).filter(([, name]) => env[name]);
  return Object.fromEntries(named.map(([key, name]) => [key, parse(env[name]!, name)]));
}
