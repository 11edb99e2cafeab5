import type { IncomingMessage, ServerResponse } from 'node:http';
import ipaddr from 'ipaddr.js';
import { isAuthority } from '../../platform/http/request-address.ts';
import { literalAddress } from '../../platform/network-address.ts';
import type { AgentDeps } from '../agent-deps.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
type Reach = Pick<AgentDeps, 'config' | 'project'>;

/** True if the server needs no authentication because it is reachable only from this machine. */
export const isOpenToMachine = ({ config, project }: Reach): boolean =>
  isLoopback(config.HOST) && !project.config.auth && !config.SLIPWAY_GATEWAY_TOKEN;

/**
 * Rejects requests with a foreign host name if the server is open to its machine. To a browser, a page whose name
 * resolves to loopback has the same origin as the server (DNS rebinding). Browsers always send `Host`.
 */
export function ownHostOnly(reach: Reach, handle: Handle): Handle {
  if (!isOpenToMachine(reach)) return handle;
  return async (request, response) => {
    const { host } = request.headers;
    // A malformed or empty host is handled like on any other server.
    if (!host || !isAuthority(host) || isLoopback(hostnameOf(`http://${host}`)))
      return handle(request, response);
    response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
    const detail = `Without auth, Host must be a name of this machine; it is ${host}`;
    response.end(JSON.stringify({ detail }));
  };
}

export const hostnameOf = (url: string): string => URL.parse(url)?.hostname ?? '';

export function isLoopback(host: string): boolean {
  const address = literalAddress(host);
  return address ? ipaddr.process(address).range() === 'loopback' : /^(?:.+\.)?localhost$/i.test(host);
}
