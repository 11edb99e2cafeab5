type JsonObject = Record<string, unknown>;

const METADATA = new Set(['thread_id', 'assistant_id', 'run_id', 'cron_id', 'counters_since_delta_snapshot']);
const CONFIGURABLE = new Set([
  'langgraph_auth_user',
  'langgraph_auth_user_id',
  'langgraph_auth_permissions',
  'langgraph_request_id',
]);

const without = (object: JsonObject, refused: (key: string) => boolean): JsonObject =>
  Object.keys(object).some(refused)
    ? Object.fromEntries(Object.entries(object).filter(([key]) => !refused(key)))
    : object;

/** Drops server-owned keys from client metadata (contract §1.1), silently and without an error. */
export const clientMetadata = (metadata: JsonObject = {}): JsonObject =>
  without(metadata, (key) => METADATA.has(key));

/** Drops server-owned keys from client configurable or context values. */
export const clientConfigurable = (values: JsonObject = {}): JsonObject =>
  without(values, (key) => CONFIGURABLE.has(key) || key.startsWith('__'));
