import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { type WebSocket, WebSocketServer } from 'ws';
import { defineError } from '../errors.ts';

type Open = (socket: WebSocket) => void;

/** Fields of the response that accepts a WebSocket. */
export interface UpgradeAnswer {
  /** One of those the client offered, or null for none; by default its first. */
  protocol?: string | null;
  headers?: [name: string, value: string][];
}

const UpgradeRequired = defineError('UpgradeRequired', 426, () => 'This endpoint requires WebSocket');
const waiting = new WeakMap<IncomingMessage, (open: Open) => void>();
const answers = new WeakMap<IncomingMessage, UpgradeAnswer>();

export const isUpgrade = (ctx: Context): boolean => waiting.has(ctx.req);

/** Upgrades the connection to a WebSocket. Throws UpgradeRequired if the request did not ask for it. */
export function acceptUpgrade(ctx: Context, open: Open, answer?: UpgradeAnswer): void {
  const accept = waiting.get(ctx.req);
  if (!accept) throw new UpgradeRequired();
  ctx.respond = false;
  if (answer) answers.set(ctx.req, answer);
  accept(open);
}

// Browsers only see the close code of a rejected WebSocket: 4000 plus the HTTP status.
const REFUSED = 4_000;

/**
 * Routes WebSocket requests through the app, so that its middleware protects them. Rejected ones are opened and
 * closed with 4000 + status. Returns a function that closes all sockets.
 */
export function serveUpgrades(
  server: Server,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  bodyLimit: number,
): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: bodyLimit,
    handleProtocols(offered, request) {
      const protocol = answers.get(request)?.protocol;
      if (protocol === undefined) return [...offered][0] ?? false;
      return protocol !== null && offered.has(protocol) && protocol;
    },
  });
  sockets.on('headers', (lines, request) => {
    for (const [name, value] of answers.get(request)?.headers ?? []) lines.push(`${name}: ${value}`);
  });
  const upgrade = async (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    const response = new ServerResponse(request);
    let open: Open | undefined;
    waiting.set(request, (accepted) => (open = accepted));
    await handle(request, response);
    sockets.handleUpgrade(request, connection, head, (socket) => {
      if (open) return open(socket);
      const status = response.statusCode >= 400 ? response.statusCode : 404;
      const again = status >= 500 && status !== 501;
      socket.close(again ? 1011 : REFUSED + status, STATUS_CODES[status]);
    });
  };
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => connection.destroy());
    upgrade(request, connection, head).catch(() => connection.destroy());
  });
  return {
    close() {
      for (const socket of sockets.clients) socket.close(1012, 'The server is stopping');
    },
  };
}
