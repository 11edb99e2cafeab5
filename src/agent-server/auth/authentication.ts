import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { requestAddress } from '../../platform/http/request-address.ts';
import type { ProjectConfig } from '../project/project-schema.ts';
import type { AuthUser } from './caller.ts';
import type { ProjectAuth } from '../../graph-host/auth/project-auth.ts';
import { asRefusal, Unauthorized } from './refusal.ts';

type AuthConfig = NonNullable<ProjectConfig['auth']>;

const STUDIO: AuthUser = {
  kind: 'StudioUser',
  identity: 'langgraph-studio-user',
  display_name: 'langgraph-studio-user',
  is_authenticated: true,
  permissions: [],
};
const DEFAULT_CACHED = 1000;

/** Tells who sent a request. Throws Unauthorized, or what the project's `authenticate` throws. */
export type Authenticate = (request: IncomingMessage) => Promise<AuthUser>;

/** The project's `authenticate`, asked for every request, or once for equal credentials where it allows that. */
export function projectAuthenticate(
  { authenticate }: ProjectAuth,
  { cache, disable_studio_auth = false }: AuthConfig,
): Authenticate {
  const keys = cache?.cache_keys?.map((key) => key.toLowerCase());
  const users = keys?.length
    ? new LRUCache<string, AuthUser>({
        max: cache?.max_size ?? DEFAULT_CACHED,
        ttl: (cache?.ttl_seconds ?? 60) * 1000,
      })
    : undefined;
  return async (request) => {
    if (!disable_studio_auth && request.headers['x-auth-scheme'] === 'langsmith') return STUDIO;
    const credentials = users && JSON.stringify(keys!.map((key) => request.headers[key] ?? null));
    const known = credentials === undefined ? undefined : users!.get(credentials);
    if (known) return known;
    const user = asUser(await ask(authenticate, webRequest(request)));
    if (credentials !== undefined) users!.set(credentials, user);
    return user;
  };
}

async function ask(authenticate: (request: Request) => unknown, request: Request): Promise<unknown> {
  try {
    return await authenticate(request);
  } catch (error) {
    throw asRefusal(error) ?? new Unauthorized();
  }
}

/** The request without its body, which belongs to the route. */
export function webRequest(request: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return new Request(requestAddress(request), { method: request.method ?? 'GET', headers });
}

function asUser(answer: unknown): AuthUser {
  const given = typeof answer === 'string' ? { identity: answer } : answer;
  if (typeof given !== 'object' || given === null) throw new Unauthorized();
  const { identity, permissions, ...rest } = given as Record<string, unknown>;
  if (typeof identity !== 'string' || rest['is_authenticated'] === false) throw new Unauthorized();
  return {
    display_name: identity,
    is_authenticated: true,
    ...rest,
    identity,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
  };
}
