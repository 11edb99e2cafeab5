import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Description, HttpRequest, WebSocketRequest } from '../../graph-protocol/messages.ts';
import type { HostCallOptions } from '../hosts/graph-host.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';
import { type AnswerOfHost, askApplication } from './host-answer.ts';
import { type AcceptedSocket, connectSocket, type SocketOptions } from './host-socket.ts';

/** Which requests concern the project's application. */
export interface Match {
  /** The application has a route for it, not just middleware. Missing if only a request can tell. */
  owns?: boolean | null;
  /** Some of its middleware runs on requests to our routes. */
  watches: boolean;
}

/** The project's own HTTP application: `http.app`. */
export interface CustomApp {
  /** With `websocket`, whether it has a WebSocket route for it. */
  match(method: string, path: string, websocket?: boolean): Promise<Match>;
  /** Set if the application may have WebSocket routes. */
  connect?: ((request: WebSocketRequest, options: SocketOptions) => Promise<AcceptedSocket>) | undefined;
  ask(
    request: HttpRequest,
    options?: Pick<HostCallOptions, 'input' | 'admit' | 'signal'>,
  ): Promise<AnswerOfHost>;
  /** For webhooks that name a path of the application. */
  fetch(request: Request): Promise<Response>;
}

// Cached matches stay valid: routes don't change while a project is loaded.
const MOST_MATCHES = 2_000;

export function hostApplication(
  hosts: GraphHosts,
  { websockets }: Pick<Description, 'websockets'>,
): CustomApp {
  const matches = new LRUCache<string, Match>({ max: MOST_MATCHES });
  return {
    async match(method, path, websocket = false) {
      const key = `${websocket ? 'websocket' : method} ${path}`;
      const known = matches.get(key);
      if (known) return known;
      const match = await hosts.call<Match>('http.match', { method, path, websocket });
      matches.set(key, match);
      return match;
    },
    connect: websockets ? (request, options) => connectSocket(hosts, request, options) : undefined,
    ask: (request, options) => askApplication(hosts, request, options),
    async fetch({ method, url, headers, body, signal }) {
      const {
        status,
        headers: answered,
        content,
      } = await askApplication(
        hosts,
        { method, url, headers: [...headers], user: undefined, admit: false, watch: false },
        { signal, input: (body ?? undefined) as AsyncIterable<Uint8Array> | undefined },
      );
      const stream = Readable.toWeb(content) as unknown as ConstructorParameters<typeof Response>[0];
      return new Response(stream, { status: status ?? 404, headers: answered });
    },
  };
}
