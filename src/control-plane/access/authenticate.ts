import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { PublicError } from '../../platform/errors.ts';
import { apiKeyOf } from '../../platform/http/api-key-header.ts';
import { readCookie } from '../../platform/http/own-cookie.ts';
import { allowToReceive, KNOWN_MS } from '../../platform/http/receive-limit.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { type ApiKey, findApiKey } from './api-key-repository.ts';
import { BearerTokens } from './bearer-token.ts';
import { chooseGrant } from './grant.ts';
import { Forbidden, type Grant, hasRole, type Principal, requireRole, type Session } from '../principal.ts';
import { requireOwnPage, requireOwnSocket } from './session-cookie.ts';
import { findSession } from './session-repository.ts';

export class Unauthenticated extends PublicError {
  override readonly name = 'Unauthenticated';
  readonly status = 401;
  override readonly headers = { 'www-authenticate': 'Bearer realm="slipway"' };
  constructor(message = 'A valid API key is needed: send it as X-Api-Key') {
    super(message);
  }
}

type Deps = Pick<ControlPlaneDeps, 'db' | 'config'>;

// Requests that prove themselves: uploads and artifacts by their signed address, git-host events by their signature,
// gateway counters by a platform key.
const OPEN =
  /^(?:(?:\/api-host)?\/(?:ok|metrics|docs(?:\/[^/]*)?|openapi\.json)\/?|\/v2\/(?:uploads|artifacts|git-events)\/[\w-]+|\/v2\/sign-in(?:\/link|\/oidc(?:\/callback)?)?)$/;
// Everyone may end their own sessions.
const OWN = /^\/v2\/sessions?(?:\/|$)/;

/** Looks up API keys and sessions by their secret. */
export interface CredentialLookup {
  key(key: string): Promise<ApiKey | undefined>;
  session(secret: string): Promise<Session | undefined>;
}

const inDatabase = (db: Deps['db']): CredentialLookup => ({
  key: (key) => findApiKey(db, key),
  session: (secret) => findSession(db, secret),
});

/** Identifies the sender of a request, for the tenant it names or for `tenantId`. */
export type Identify = (request: IncomingMessage, tenantId?: string) => Promise<Principal>;

/** Returns a function that identifies the caller (contract §1.6). It throws Unauthenticated, Forbidden. */
export function identification({ db, config }: Deps, known = inDatabase(db)): Identify {
  const tokens = new BearerTokens(config);
  return async (request, byDefault = '') => {
    const { key, bearer } = credentialsOf(request.headers);
    const tenantId = String(request.headers['x-tenant-id'] ?? '').toLowerCase() || byDefault;
    const secret = key || bearer ? undefined : readCookie(request);
    if (secret) return bySession(request, known, secret, tenantId);
    const found = key || bearer ? await known.key(key || bearer) : undefined;
    if (found) return { name: found.name, ...grantOfKey(found, tenantId) };
    if (key || !bearer) throw new Unauthenticated();
    return byToken(tokens, bearer, tenantId);
  };
}

/** Also accepts requests for the whole platform: a key valid for every tenant that names none gets `tenant_id` null. */
export function wideIdentification(
  deps: Deps,
): (ctx: Context) => Promise<Pick<ApiKey, 'tenant_id' | 'role'>> {
  const identify = identification(deps);
  return async (ctx) => {
    const { key, bearer } = credentialsOf(ctx.req.headers);
    const given = key || bearer;
    const found = given && !ctx.get('x-tenant-id') ? await findApiKey(deps.db, given) : undefined;
    return found?.tenant_id === null ? found : identify(ctx.req);
  };
}

/** A bearer token may be an API key or a token of the OIDC issuer. */
export const credentialsOf = (headers: IncomingHttpHeaders): { key: string; bearer: string } => ({
  key: apiKeyOf(headers),
  bearer: /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '',
});

/** Identifies the caller; viewers may only read. */
export function authenticate(deps: Deps): Middleware {
  const identify = identification(deps);
  return async (ctx, next) => {
    if (!OPEN.test(ctx.path) && ctx.method !== 'OPTIONS') {
      const principal = await identify(ctx.req);
      requireRole(principal, 'viewer');
      allowToReceive(ctx.req, KNOWN_MS);
      // Logs are read with POST.
      const reads =
        ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.path.endsWith('_logs') || OWN.test(ctx.path);
      if (!reads && !hasRole(principal, 'deployer')) throw new Forbidden('This key is read-only');
      ctx.state['principal'] = principal;
    }
    await next();
  };
}

async function byToken(tokens: BearerTokens, token: string, tenantId: string): Promise<Principal> {
  const found = await tokens.verify(token);
  if (!found) throw new Unauthenticated();
  if (found.grants.length === 0) throw new Forbidden('This token grants access to no workspace');
  return { name: found.name, ...chooseGrant(found.grants, tenantId) };
}

/** Browsers send the cookie on their own, so changes must come from our own pages. */
async function bySession(
  request: IncomingMessage,
  known: CredentialLookup,
  secret: string,
  tenantId: string,
): Promise<Principal> {
  if (request.headers.upgrade) requireOwnSocket(request);
  else if (request.method !== 'GET' && request.method !== 'HEAD') requireOwnPage(request);
  const found = await known.session(secret);
  if (!found) throw new Unauthenticated();
  const grant = tenantId ? chooseGrant(found.grants, tenantId) : found.grants[0]!;
  return { name: found.name, ...grant, session: found };
}

/** The role a key grants for the requested tenant; a key without a tenant is valid for all. Throws Forbidden. */
export const grantOfKey = ({ tenant_id, role }: ApiKey, asked: string): Grant =>
  tenant_id
    ? chooseGrant([{ tenant_id, role }], asked)
    : chooseGrant(asked ? [{ tenant_id: asked, role }] : [], asked);
