import { refusal } from './api-error.ts';

export interface RequestOptions {
  /** Sent as JSON. */
  body?: unknown;
  query?: Record<string, string | number | boolean | undefined | null>;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

const TENANT = 'slipway.tenant';
let tenantId = localStorage.getItem(TENANT);

/** The selected workspace; null means the session's first. */
export const chosenTenant = (): string | null => tenantId;

export function chooseTenant(id: string | null): void {
  tenantId = id;
  if (id) localStorage.setItem(TENANT, id);
  else localStorage.removeItem(TENANT);
}

/** Headers of every request: CSRF protection and the selected workspace. */
export const ownHeaders = (): Record<string, string> => ({
  'x-slipway-console': '1',
  // Agents with custom authentication see the signed-in user as a Studio user.
  'x-auth-scheme': 'langsmith',
  ...(tenantId && { 'x-tenant-id': tenantId }),
});

export const withQuery = (path: string, query: RequestOptions['query'] = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
};

/** Sends a request; undefined for a 204. Throws ApiError for error responses, TypeError for network failures. */
export async function request<Answer>(
  method: string,
  path: string,
  { body, query, headers, signal }: RequestOptions = {},
): Promise<Answer> {
  const response = await fetch(withQuery(path, query), {
    method,
    // Some pages share their URL with a record, which Back must not show from the cache.
    cache: 'no-store',
    headers: {
      ...ownHeaders(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  if (!response.ok) throw refusal(response.status, text, response.headers);
  return (text ? JSON.parse(text) : undefined) as Answer;
}

export const get = <Answer>(path: string, options?: RequestOptions): Promise<Answer> =>
  request<Answer>('GET', path, options);
export const post = <Answer>(path: string, body: unknown, options?: RequestOptions): Promise<Answer> =>
  request<Answer>('POST', path, { ...options, body });
export const patch = <Answer>(path: string, body: unknown): Promise<Answer> =>
  request<Answer>('PATCH', path, { body });
export const put = <Answer>(path: string, body: unknown): Promise<Answer> =>
  request<Answer>('PUT', path, { body });
export const remove = (path: string): Promise<void> => request<void>('DELETE', path);
