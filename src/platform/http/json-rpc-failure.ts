import { PublicError } from '../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, JsonRpcError } from './json-rpc.ts';

// Statuses answered by HTTP rather than JSON-RPC, because clients react to them by signing in or retrying.
const OF_HTTP = new Set([401, 403, 429, 503]);

/** Converts an error to a JSON-RPC error. Rethrows errors that must be answered by HTTP. */
export function rpcFailure(error: unknown, onUnknown: (error: unknown) => void): JsonRpcError {
  if (error instanceof PublicError && OF_HTTP.has(error.status)) throw error;
  return rpcFailureInBody(error, onUnknown);
}

/** The same for responses whose status was already sent. */
export function rpcFailureInBody(error: unknown, onUnknown: (error: unknown) => void): JsonRpcError {
  if (error instanceof JsonRpcError) return error;
  if (error instanceof PublicError && error.status < 500)
    return new JsonRpcError(INVALID_PARAMS, error.message);
  onUnknown(error);
  return new JsonRpcError(INTERNAL_ERROR, 'Internal error');
}
