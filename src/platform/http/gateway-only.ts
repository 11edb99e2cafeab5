import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export const GATEWAY_TOKEN_HEADER = 'x-slipway-gateway-token';
const HEALTH = /^\/ok(?:\?|$)/;

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Requires the token if one is set; otherwise answers 401, except to health checks. Removes the token from the
 * request, because headers are logged and passed to runs.
 */
export function gatewayOnly(token: string | undefined, handle: Handle): Handle {
  const expected = token === undefined ? undefined : digest(token);
  return async (request, response) => {
    const sent = request.headers[GATEWAY_TOKEN_HEADER];
    delete request.headers[GATEWAY_TOKEN_HEADER];
    const isKnown = !expected || timingSafeEqual(digest(String(sent ?? '')), expected);
    if (isKnown || HEALTH.test(request.url ?? '')) return handle(request, response);
    response.writeHead(401, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ detail: 'This agent is only available through its gateway' }));
  };
}
