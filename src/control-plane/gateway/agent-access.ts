import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { apiKeyOf } from '../../platform/http/api-key-header.ts';
import { hashOf, isApiKey } from '../access/api-key-repository.ts';
import {
  type CredentialLookup,
  credentialsOf,
  type Identify,
  identification,
} from '../access/authenticate.ts';
import { KnownCredentials } from '../access/known-credentials.ts';
import { Forbidden, requireRole, type Role } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { isOpenPath, isReading } from './agent-paths.ts';
import type { Target } from './route-repository.ts';

interface Admission {
  /** Headers that hold platform credentials. */
  withheld: string[];
  /** Whether the platform authenticated the caller. */
  isKnown: boolean;
}

/** Decides who may use a deployment's agents, and which credentials their code must not see. */
export class AgentAccess {
  readonly #configuredKeyHash: Buffer | undefined;
  readonly #known: CredentialLookup;
  readonly #identify: Identify;

  constructor(deps: Pick<ControlPlaneDeps, 'db' | 'config'>) {
    const { SLIPWAY_API_KEY: key } = deps.config;
    this.#configuredKeyHash = key ? hashOf(key) : undefined;
    this.#known = new KnownCredentials(deps.db);
    this.#identify = identification(deps, this.#known);
  }

  /** Throws Unauthenticated, Forbidden. */
  async admit(
    request: IncomingMessage,
    path: string,
    { tenant_id, access, own_auth }: Pick<Target, 'tenant_id' | 'access' | 'own_auth'>,
  ): Promise<Admission> {
    const { headers } = request;
    const isOpen = access === 'public' || own_auth;
    if ((isOpen && !asksAsStudio(headers)) || isOpenPath(request, path))
      return { withheld: await this.#keysIn(headers), isKnown: false };
    await this.#requireMember(request, tenant_id, isReading(request, path) ? 'viewer' : 'deployer');
    const { key, bearer } = credentialsOf(headers);
    // The caller was admitted by a token of the platform's identity provider.
    const withheld = bearer && !key ? ['authorization'] : await this.#keysIn(headers);
    return { withheld, isKnown: true };
  }

  /** Whether the caller is a member of the workspace, whatever the agent requires. False without Postgres. */
  isMember(request: IncomingMessage, { tenant_id }: Pick<Target, 'tenant_id'>): Promise<boolean> {
    return this.#requireMember(request, tenant_id, 'viewer').then(
      () => true,
      () => false,
    );
  }

  /** Throws Unauthenticated, Forbidden. */
  async #requireMember(request: IncomingMessage, tenantId: string, role: Role): Promise<void> {
    const principal = await this.#identify(request, tenantId);
    // Callers name a workspace in X-Tenant-Id, which may be another than the agent's.
    if (principal.tenant_id !== tenantId) throw new Forbidden('This agent belongs to another workspace');
    requireRole(principal, role);
  }

  async #keysIn({ authorization = '', ...headers }: IncomingHttpHeaders): Promise<string[]> {
    const [isFirst, ...areOthers] = await Promise.all(
      [apiKeyOf(headers), ...secretsIn(authorization)].map((text) => this.#isKey(text)),
    );
    return [...(isFirst ? ['x-api-key'] : []), ...(areOthers.some(Boolean) ? ['authorization'] : [])];
  }

  async #isKey(text: string): Promise<boolean> {
    if (text === '' || isJwt(text)) return false;
    // Comparing hashes reveals nothing by its duration.
    if (isApiKey(text) || this.#configuredKeyHash?.equals(hashOf(text))) return true;
    // Generated keys have a recognisable form; only a formerly configured one needs a lookup. Agents keep working
    // without Postgres.
    return (await this.#known.key(text).catch(() => undefined)) !== undefined;
  }
}

/** Agent servers with auth admit Studio's user without credentials, so its platform must be the caller. */
const asksAsStudio = (headers: IncomingHttpHeaders): boolean =>
  /langsmith/i.test(String(headers['x-auth-scheme'] ?? ''));

/** What may be a key: also where it is misplaced, without a scheme or as a password. */
function secretsIn(authorization: string): string[] {
  const [, scheme, last = ''] = /^(?:(\S+) +)?(\S+)$/.exec(authorization) ?? [];
  if (scheme?.toLowerCase() !== 'basic') return [last];
  const [user = '', ...password] = Buffer.from(last, 'base64').toString('latin1').split(':');
  return [user, password.join(':')];
}

/** Tokens of a project's own users; no key of ours looks like one. */
const isJwt = (text: string): boolean => /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(text);
