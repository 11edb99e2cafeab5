import { PublicError } from '../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, JsonRpcError } from './json-rpc.ts';

// Whether the caller may, and whether the server can just now, is told by HTTP: clients log in or try again by it.
const OF_HTTP = new Set([401, 403, 429, 503]);

/** What the caller of a method is told of a throw; throws it again where it is for HTTP to tell. */
export function rpcFailure(error: unknown, onUnknown: (error: unknown) => void): JsonRpcError {
  if (error instanceof PublicError && OF_HTTP.has(error.status)) throw error;
  return rpcFailureInBody(error, onUnknown);
}

/** The same for an answer whose status is out already. */
export function rpcFailureInBody(error: unknown, onUnknown: (error: unknown) => void): JsonRpcError {
  if (error instanceof JsonRpcError) return error;
  if (error instanceof PublicError && error.status < 500)
    return new JsonRpcError(INVALID_PARAMS, error.message);
  onUnknown(error);
  return new JsonRpcError(INTERNAL_ERROR, 'Internal error');
}
