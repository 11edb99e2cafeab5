import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { type WebSocket, WebSocketServer } from 'ws';
import { defineError } from '../errors.ts';

type Open = (socket: WebSocket) => void;

const UpgradeRequired = defineError('UpgradeRequired', 426, () => 'This address speaks WebSocket');
const waiting = new WeakMap<IncomingMessage, (open: Open) => void>();

/** Takes the request's connection over as a WebSocket. Throws UpgradeRequired when it did not ask for one. */
export function acceptUpgrade(ctx: Context, open: Open): void {
  const accept = waiting.get(ctx.req);
  if (!accept) throw new UpgradeRequired();
  ctx.respond = false;
  accept(open);
}

// What a browser's client can see of a refusal: 4000 and the status the same request would have had over HTTP.
const REFUSED = 4_000;

/**
 * Answers requests for a WebSocket by the routes of the app, so that nothing is reached without what guards them.
 * A refused one is opened and closed at once with 4000 + status. Returns what closes all that are open.
 */
export function serveUpgrades(
  server: Server,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  bodyLimit: number,
): { close(): void } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: bodyLimit });
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
