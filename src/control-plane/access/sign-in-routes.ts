import type { Context } from 'koa';
import { Type } from 'typebox';
import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import { NotFound } from '../../platform/errors.ts';
import { readCookie } from '../../platform/http/own-cookie.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Refusals } from '../wire.ts';
import { type ApiKey, findApiKey } from './api-key-repository.ts';
import { grantOfKey, Unauthenticated } from './authenticate.ts';
import { FIRST_TENANT_ID } from './first-api-key.ts';
import { Forbidden, type Grant, requireRole, ROLES, type Session } from '../principal.ts';
import { CALLBACK, OidcSignIn, type SignInAttempt } from './oidc-sign-in.ts';
import { clearCookie, requireOwnPage, setCookie } from './session-cookie.ts';
import { insertSession } from './session-repository.ts';
import { LINK_TOKEN, redeemSignInLink, requireThisMachine } from './sign-in-link.ts';

const ATTEMPT = '-sign-in';
const ATTEMPT_SECONDS = 600;
const AGENT_LENGTH = 400;

interface Holder {
  name: string;
  grants: Grant[];
  api_key_id?: string;
}

const SignedIn = Type.Object({
  id: Uuid,
  name: Type.String(),
  grants: Type.Array(Type.Object({ tenant_id: Uuid, role: StringEnum(ROLES) })),
  expires_at: Timestamp,
});

/** Exchanges a key or an OIDC sign-in for a session cookie. */
export const signInRoutes = (deps: ControlPlaneDeps): Route[] => {
  const { db, box, config, log } = deps;
  const provider = new OidcSignIn(config);
  const route = { tags: ['Access'] };

  const open = async (
    ctx: Context,
    method: 'api_key' | 'link' | 'oidc',
    identify: (tx: Queryable) => Promise<Holder>,
  ): Promise<Session> => {
    const { secret, ...session } = await inTransaction(db, async (tx) => {
      const who = await identify(tx);
      const made = await insertSession(tx, {
        ...who,
        seconds: config.SLIPWAY_SESSION_SECONDS,
        user_agent: ctx.get('user-agent').slice(0, AGENT_LENGTH) || null,
      });
      const { tenant_id } = who.grants[0]!;
      const change = { action: 'signIn', target: `session/${made.id}`, detail: { method } };
      await recordChange(tx, { tenant_id, name: who.name }, change);
      return made;
    });
    setCookie(ctx, secret, { maxAgeSeconds: config.SLIPWAY_SESSION_SECONDS });
    return session;
  };

  return [
    defineRoute({
      ...route,
      method: 'get',
      path: '/v2/sign-in',
      operationId: 'listSignInMethods',
      summary: 'List the sign-in methods (public)',
      responses: { 200: Type.Object({ methods: Type.Array(StringEnum(['api_key', 'oidc'])) }) },
      handle: () => ({ methods: ['api_key', ...(provider.isConfigured ? ['oidc'] : [])] }),
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: '/v2/sign-in',
      operationId: 'signIn',
      summary: 'Exchange an API key for a session cookie; needs the header X-Slipway-Console',
      body: Type.Object({
        api_key: Type.String({ minLength: 1, maxLength: 500 }),
        /** For a key valid for every workspace. */
        tenant_id: Type.Optional(Uuid),
      }),
      responses: { 200: SignedIn, ...Refusals },
      async handle({ body: { api_key, tenant_id = '' }, ctx }) {
        requireOwnPage(ctx.req);
        return open(ctx, 'api_key', async (tx) => {
          const key = await findApiKey(tx, api_key);
          if (!key) throw new Unauthenticated();
          return holderOf(key, tenant_id.toLowerCase());
        });
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: '/v2/sign-in/link',
      operationId: 'signInByLink',
      summary:
        'Exchange the token of a one-time link for a session cookie; needs the header X-Slipway-Console',
      body: Type.Object({ token: Type.String({ pattern: LINK_TOKEN }) }),
      responses: { 200: SignedIn, ...Refusals },
      async handle({ body: { token }, ctx }) {
        requireOwnPage(ctx.req);
        requireThisMachine(ctx.req);
        return open(ctx, 'link', async (tx) => {
          const key = await redeemSignInLink(tx, token);
          if (!key) throw new Unauthenticated('This link was used already or has expired');
          return holderOf(key, key.tenant_id ?? FIRST_TENANT_ID);
        });
      },
    }),
    defineRoute({
      ...route,
      method: 'get',
      path: '/v2/sign-in/oidc',
      operationId: 'beginOidcSignIn',
      summary: 'Redirect to the identity provider',
      query: Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 2_000 })) }),
      responses: { 302: { description: 'Redirect to the identity provider' }, ...Refusals },
      async handle({ query: { return_to = '/' }, ctx }) {
        if (!provider.isConfigured) throw new NotFound('OpenID Connect sign-in is not configured');
        const { address, attempt } = await provider.begin(localPath(return_to));
        const sealed = box.seal(JSON.stringify(attempt), CALLBACK).toString('base64url');
        // Strict cookies aren't sent when another site redirects back.
        setCookie(ctx, sealed, { suffix: ATTEMPT, maxAgeSeconds: ATTEMPT_SECONDS, sameSite: 'Lax' });
        ctx.redirect(address);
      },
    }),
    defineRoute({
      ...route,
      method: 'get',
      path: CALLBACK,
      operationId: 'completeOidcSignIn',
      summary: 'Callback of the identity provider',
      responses: { 302: { description: 'Redirect to the console' } },
      async handle({ ctx }) {
        const attempt = readAttempt(readCookie(ctx.req, ATTEMPT));
        clearCookie(ctx, ATTEMPT);
        try {
          if (!attempt) throw new Forbidden('No sign-in is in progress');
          const { name, grants } = await provider.complete(ctx.search, attempt);
          const readers = grants.filter(({ role }) => role !== 'tracer');
          if (readers.length === 0) return ctx.redirect('/sign-in?error=no_workspace');
          await open(ctx, 'oidc', async () => ({ name, grants: readers }));
          ctx.redirect(attempt.return_to);
        } catch (error) {
          log.warn({ err: error }, 'a sign-in failed');
          ctx.redirect('/sign-in?error=refused');
        }
      },
    }),
  ];

  function readAttempt(cookie: string | undefined): SignInAttempt | undefined {
    try {
      return cookie
        ? (JSON.parse(box.open(Buffer.from(cookie, 'base64url'), CALLBACK)) as SignInAttempt)
        : undefined;
    } catch {
      return undefined;
    }
  }
};

/** Who signs in with a key, for the tenant asked for. Throws Forbidden. */
function holderOf(key: ApiKey, tenantId: string): Holder {
  const grant = grantOfKey(key, tenantId);
  requireRole(grant, 'viewer');
  return { name: key.name, grants: [grant], api_key_id: key.id };
}

/** Only local paths, to prevent open redirects. */
const localPath = (text: string): string => (/^\/(?![/\\])[^\s\\]*$/.test(text) ? text : '/');
