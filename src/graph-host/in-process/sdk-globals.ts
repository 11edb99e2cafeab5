import type { Logger } from 'pino';
import { sdkLogger } from './sdk-logger.ts';

// Where every copy of @langchain/langgraph-sdk looks for the server it runs in.
const FETCH = Symbol.for('langgraph_api:fetch');
const URL = Symbol.for('langgraph_api:url');
const LOGGER = Symbol.for('langgraph.api.sdk-logger');

const globals = globalThis as { [key: symbol]: unknown };

/** Gives `getLogger()` of the project's SDK a logger; before the project is loaded, which may ask at once. */
export function bindSdkLogger(log: Logger): void {
  globals[LOGGER] = sdkLogger(log);
}

/** Makes `new Client()` of the project's SDK, without an address, reach the server it belongs to. */
export function bindSdkClient(serverFetch: typeof fetch): void {
  globals[FETCH] = serverFetch;
}

/** What such a client takes for the server's address; for what does not go through `fetch`. */
export function bindSdkUrl(url: string): void {
  globals[URL] = url;
}
