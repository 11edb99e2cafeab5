import type { Context, Middleware } from 'koa';
import { PublicError } from '../../platform/errors.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { type ApiKey, findApiKey, isApiKey } from './api-key-repository.ts';
import { BearerTokens } from './bearer-token.ts';
import { chooseGrant, type Grant } from './grant.ts';
import { Forbidden, hasRole, type Principal, requireRole } from './principal.ts';
import { readCookie, requireOwnPage } from './session-cookie.ts';
import { findSession } from './session-repository.ts';

export class Unauthenticated extends PublicError {
  override readonly name = 'Unauthenticated';
  readonly status = 401;
  override readonly headers = { 'www-authenticate': 'Bearer realm="slipway"' };
  constructor() {
    super('A valid API key is needed: send it as X-Api-Key');
  }
}

type Deps = Pick<ControlPlaneDeps, 'db' | 'config'>;

// The address of an upload or of an artifact says itself who may, an event of a git host is signed, and what gateways
// have counted is told to the platform's own keys too.
const OPEN =
  /^(?:(?:\/api-host)?\/(?:ok|metrics|docs(?:\/[^/]*)?|openapi\.json)\/?|\/v2\/(?:uploads|artifacts|git-events)\/[\w-]+|\/v2\/sign-in(?:\/oidc(?:\/callback)?)?)$/;
// Everybody may end sessions of their own.
const OWN = /^\/v2\/sessions?(?:\/|$)/;

/** Finds out who asks (contract §1.6). The function throws Unauthenticated, Forbidden. */
export function identification({ db, config }: Deps): (ctx: Context) => Promise<Principal> {
  const tokens = new BearerTokens(config);
  return async (ctx) => {
    const { key, bearer } = credentialsOf(ctx);
    const tenantId = ctx.get('x-tenant-id').toLowerCase();
    const secret = key || bearer ? undefined : readCookie(ctx);
    if (secret) return bySession(ctx, db, secret, tenantId);
    return key || !bearer ? byKey(db, key, tenantId) : byToken(tokens, bearer, tenantId);
  };
}

/**
 * The same for what is told of the whole platform, too: a key of no tenant that names none asks for all, with `tenant_id`
 * null.
 */
export function wideIdentification(
  deps: Deps,
): (ctx: Context) => Promise<Pick<ApiKey, 'tenant_id' | 'role'>> {
  const identify = identification(deps);
  return async (ctx) => {
    const { key } = credentialsOf(ctx);
    const found = key && !ctx.get('x-tenant-id') ? await findApiKey(deps.db, key) : undefined;
    return found?.tenant_id === null ? found : identify(ctx);
  };
}

function credentialsOf(ctx: Context): { key: string; bearer: string } {
  const bearer = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? '';
  return { key: ctx.get('x-api-key') || (isApiKey(bearer) ? bearer : ''), bearer };
}

/** Finds out who asks, and lets viewers only look. */
export function authenticate(deps: Deps): Middleware {
  const identify = identification(deps);
  return async (ctx, next) => {
    if (!OPEN.test(ctx.path) && ctx.method !== 'OPTIONS') {
      const principal = await identify(ctx);
      requireRole(principal, 'viewer');
      // Logs are read by POST.
      const reads =
        ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.path.endsWith('_logs') || OWN.test(ctx.path);
      if (!reads && !hasRole(principal, 'deployer')) throw new Forbidden('This key may only read');
      ctx.state['principal'] = principal;
    }
    await next();
  };
}

async function byKey(db: Deps['db'], key: string, tenantId: string): Promise<Principal> {
  const found = key ? await findApiKey(db, key) : undefined;
  if (!found) throw new Unauthenticated();
  return { name: found.name, ...grantOfKey(found, tenantId) };
}

async function byToken(tokens: BearerTokens, token: string, tenantId: string): Promise<Principal> {
  const found = await tokens.verify(token);
  if (!found) throw new Unauthenticated();
  if (found.grants.length === 0) throw new Forbidden('This token is for no workspace');
  return { name: found.name, ...chooseGrant(found.grants, tenantId) };
}

/** A browser sends the cookie by itself: what changes something must come from our own pages. */
async function bySession(ctx: Context, db: Deps['db'], secret: string, tenantId: string): Promise<Principal> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') requireOwnPage(ctx);
  const found = await findSession(db, secret);
  if (!found) throw new Unauthenticated();
  const grant = tenantId ? chooseGrant(found.grants, tenantId) : found.grants[0]!;
  return { name: found.name, ...grant, session: found };
}

/** What a key grants for the tenant that is asked for; one of no tenant is good for every. Throws Forbidden. */
export const grantOfKey = ({ tenant_id, role }: ApiKey, asked: string): Grant =>
  tenant_id
    ? chooseGrant([{ tenant_id, role }], asked)
    : chooseGrant(asked ? [{ tenant_id: asked, role }] : [], asked);
