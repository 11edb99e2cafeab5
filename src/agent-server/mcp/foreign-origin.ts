import type { Context } from 'koa';
import type { AgentDeps } from '../agent-deps.ts';
import { Forbidden } from '../refusal.ts';
import { namedOrigins } from '../meta/cors.ts';
import { hostnameOf, isLoopback, isOpenToMachine } from '../meta/foreign-host.ts';

/** Rejects pages from other sites if the server is open to its machine. Throws Forbidden. */
export function refuseForeignOrigin(ctx: Context, deps: AgentDeps): void {
  const origin = ctx.get('origin');
  if (!origin || !isOpenToMachine(deps)) return;
  if (!isLoopback(hostnameOf(origin)) && !namedOrigins(deps.project.config.http?.cors)(origin))
    throw new Forbidden(`Origin must be this machine, or named in http.cors, without auth; it is ${origin}`);
}
