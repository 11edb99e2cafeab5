import type { IncomingMessage, ServerResponse } from 'node:http';
import ipaddr from 'ipaddr.js';
import { isAuthority } from '../../platform/http/request-address.ts';
import { literalAddress } from '../../platform/network-address.ts';
import type { AgentDeps } from '../agent-deps.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
type Reach = Pick<AgentDeps, 'config' | 'project'>;

/** True where everything is open because only this machine reaches the server. */
export const isOpenToMachine = ({ config, project }: Reach): boolean =>
  isLoopback(config.HOST) && !project.config.auth && !config.SLIPWAY_GATEWAY_TOKEN;

/**
 * Refuses requests that came under a foreign name to a server that is open to its machine: a page whose name resolves to
 * loopback is of one origin with it for the browser (DNS rebinding). Browsers always send `Host`.
 */
export function ownHostOnly(reach: Reach, handle: Handle): Handle {
  if (!isOpenToMachine(reach)) return handle;
  return async (request, response) => {
    const { host } = request.headers;
    // What is malformed, or empty, is answered as on every other address.
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
