import ipaddr from 'ipaddr.js';
import type { Context } from 'koa';
import { literalAddress } from '../../platform/network-address.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { Forbidden } from '../auth/refusal.ts';
import { namedOrigins } from '../meta/cors.ts';

/**
 * Refuses pages of other sites where everything is open because only this machine reaches the server: a browser on it
 * would carry their requests, under a name that leads here (DNS rebinding). Throws Forbidden.
 */
export function refuseForeignPage(ctx: Context, { config, project }: AgentDeps): void {
  if (!isLoopback(config.HOST) || project.config.auth || config.SLIPWAY_GATEWAY_TOKEN) return;
  const host = ctx.get('host');
  if (!isLoopback(hostnameOf(`http://${host}`)))
    throw new Forbidden(`Host must be this machine without auth; it is ${host}`);
  const origin = ctx.get('origin');
  if (origin && !isLoopback(hostnameOf(origin)) && !namedOrigins(project.config.http?.cors)(origin))
    throw new Forbidden(`Origin must be this machine, or named in http.cors, without auth; it is ${origin}`);
}

const hostnameOf = (url: string): string => URL.parse(url)?.hostname ?? '';

function isLoopback(host: string): boolean {
  const address = literalAddress(host);
  return address ? ipaddr.process(address).range() === 'loopback' : /^(?:.+\.)?localhost$/i.test(host);
}
