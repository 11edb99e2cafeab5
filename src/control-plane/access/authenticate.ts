import type { Context, Middleware } from 'koa';
import { PublicError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { findApiKey, isApiKey } from './api-key-repository.ts';
import { BearerTokens } from './bearer-token.ts';
import { Forbidden, hasRole, type Principal, requireRole } from './principal.ts';

class Unauthenticated extends PublicError {
  override readonly name = 'Unauthenticated';
  readonly status = 401;
  override readonly headers = { 'www-authenticate': 'Bearer realm="slipway"' };
  constructor() {
    super('A valid API key is needed: send it as X-Api-Key');
  }
}

type Deps = Pick<ControlPlaneDeps, 'db' | 'config'>;

// The address of an upload or of an artifact says itself who may, and an event of a git host is signed.
const OPEN =
  /^(?:(?:\/api-host)?\/(?:ok|docs(?:\/[^/]*)?|openapi\.json)\/?|\/v2\/(?:uploads|artifacts|git-events)\/[\w-]+)$/;

/** Finds out who asks (contract §1.6). The function throws Unauthenticated, Forbidden. */
export function identification({ db, config }: Deps): (ctx: Context) => Promise<Principal> {
  const tokens = new BearerTokens(config);
  return async (ctx) => {
    const bearer = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? '';
    const key = ctx.get('x-api-key') || (isApiKey(bearer) ? bearer : '');
    const tenantId = ctx.get('x-tenant-id').toLowerCase();
    return key || !bearer ? byKey(db, key, tenantId) : byToken(tokens, bearer, tenantId);
  };
}

/** Finds out who asks, and lets viewers only look. */
export function authenticate(deps: Deps): Middleware {
  const identify = identification(deps);
  return async (ctx, next) => {
    if (!OPEN.test(ctx.path) && ctx.method !== 'OPTIONS') {
      const principal = await identify(ctx);
      requireRole(principal, 'viewer');
      // Logs are read by POST.
      const reads = ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.path.endsWith('_logs');
      if (!reads && !hasRole(principal, 'deployer')) throw new Forbidden('This key may only read');
      ctx.state['principal'] = principal;
    }
    await next();
  };
}

async function byKey(db: Deps['db'], key: string, tenantId: string): Promise<Principal> {
  const found = key ? await findApiKey(db, key) : undefined;
  if (!found) throw new Unauthenticated();
  const { name, role } = found;
  return { tenant_id: chooseTenant(found.tenant_id ? [found.tenant_id] : undefined, tenantId), name, role };
}

async function byToken(tokens: BearerTokens, token: string, tenantId: string): Promise<Principal> {
  const found = await tokens.verify(token);
  if (!found) throw new Unauthenticated();
  const { name, role, tenant_ids } = found;
  if (tenant_ids.length === 0) throw new Forbidden('This token is for no workspace');
  return { tenant_id: chooseTenant(tenant_ids, tenantId), name, role };
}

/** Throws Forbidden. `allowed` undefined is every tenant. */
function chooseTenant(allowed: string[] | undefined, asked: string): string {
  if (allowed?.length === 1 && !asked) return allowed[0]!.toLowerCase();
  // The field's clients look for these words, and ask for a tenant then.
  if (!isUuid(asked)) throw new Forbidden('This key requires workspace specification: send X-Tenant-Id');
  if (allowed && !allowed.some((id) => id.toLowerCase() === asked))
    throw new Forbidden('This key is not for that workspace');
  return asked;
}
