import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { requestAddress } from '../../platform/http/request-address.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import type { User } from '../../graph-protocol/messages.ts';
import type { HttpHead } from '../../graph-protocol/messages.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';

type AuthConfig = NonNullable<ProjectConfig['auth']>;

const STUDIO: User = {
  kind: 'StudioUser',
  identity: 'langgraph-studio-user',
  display_name: 'langgraph-studio-user',
  is_authenticated: true,
  permissions: [],
};
const DEFAULT_CACHED = 1000;

/** Identifies the sender of a request. Throws the errors of the project's `authenticate`. */
export type Authenticate = (request: IncomingMessage) => Promise<User>;

/** Calls the project's `authenticate` for every request, or caches by credentials if the project allows it. */
export function projectAuthenticate(
  hosts: GraphHosts,
  { cache, disable_studio_auth = false }: AuthConfig,
): Authenticate {
  const keys = cache?.cache_keys?.map((key) => key.toLowerCase());
  const users = keys?.length
    ? new LRUCache<string, User>({
        max: cache?.max_size ?? DEFAULT_CACHED,
        ttl: (cache?.ttl_seconds ?? 60) * 1000,
      })
    : undefined;
  return async (request) => {
    if (!disable_studio_auth && request.headers['x-auth-scheme'] === 'langsmith') return STUDIO;
    const credentials = users && JSON.stringify(keys!.map((key) => request.headers[key] ?? null));
    const known = credentials === undefined ? undefined : users!.get(credentials);
    if (known) return known;
    const user = await hosts.call<User>('auth.authenticate', headOf(request));
    if (credentials !== undefined) users!.set(credentials, user);
    return user;
  };
}

/** Method, URL and headers of a request. */
export function headOf(request: IncomingMessage): HttpHead {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return { method: request.method ?? 'GET', url: String(requestAddress(request)), headers };
}
