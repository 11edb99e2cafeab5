import { afterAll, beforeAll } from '@jest/globals';
import { type AgentServer, type AgentServerOptions, startAgentServer } from './agent-server.ts';
import { createDatabase } from './use-database.ts';

export interface Answer {
  status: number;
  // The test checks the shape.
  json: any;
  text: string;
  headers: Headers;
}

export interface Api {
  readonly url: string;
  readonly server: AgentServer;
  readonly databaseUrl: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A running agent server with the fixture graphs and its own database, stopped after the file's tests. */
export function useApi(options: Partial<AgentServerOptions> = {}): Api {
  let server: AgentServer;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startAgentServer({ databaseUrl: database.url, ...options });
  });
  afterAll(async () => {
    await server?.end('SIGKILL');
    await database?.drop();
  });
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    return { status: response.status, json: parse(text), text, headers: response.headers };
  };
  return {
    get url() {
      return server.url;
    },
    get server() {
      return server;
    },
    get databaseUrl() {
      return database.url;
    },
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, body, headers) => send('DELETE', path, body, headers),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
