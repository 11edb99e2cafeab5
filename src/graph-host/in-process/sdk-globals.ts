import type { Logger } from 'pino';
import { sdkLogger } from './sdk-logger.ts';

// Globals where every copy of @langchain/langgraph-sdk looks for the server it runs in.
const FETCH = Symbol.for('langgraph_api:fetch');
const URL = Symbol.for('langgraph_api:url');
const LOGGER = Symbol.for('langgraph.api.sdk-logger');

const globals = globalThis as { [key: symbol]: unknown };

/** Provides the logger for the SDK's `getLogger()`. Call before loading the project, which may use it at once. */
export function bindSdkLogger(log: Logger): void {
  globals[LOGGER] = sdkLogger(log);
}

/** Makes the SDK's `new Client()` without a URL reach this server. */
export function bindSdkClient(serverFetch: typeof fetch): void {
  globals[FETCH] = serverFetch;
}

/** Sets the server URL for calls of such a client that don't use `fetch`. */
export function bindSdkUrl(url: string): void {
  globals[URL] = url;
}
