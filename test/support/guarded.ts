import { fileURLToPath } from 'node:url';
import type { Answer, Api } from './use-api.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

/** A project with authentication, authorization and its own HTTP application. */
export const GUARDED = fileURLToPath(new URL('test/fixtures/guarded/graph.json', packageRoot));

export type Send = (path: string, body?: unknown) => Promise<Answer>;
export interface User {
  headers: Record<string, string>;
  get: (path: string) => Promise<Answer>;
  post: Send;
  put: Send;
  patch: Send;
  delete: Send;
}

/** The API as one user; anonymous if no name is given. */
export function as(api: Api, name?: string, more: Record<string, string> = {}): User {
  const headers = { ...(name !== undefined && { authorization: `Bearer ${name}` }), ...more };
  return {
    headers,
    get: (path) => api.get(path, headers),
    post: (path, body) => api.post(path, body, headers),
    put: (path, body) => api.put(path, body, headers),
    patch: (path, body) => api.patch(path, body, headers),
    delete: (path, body) => api.delete(path, body, headers),
  };
}
