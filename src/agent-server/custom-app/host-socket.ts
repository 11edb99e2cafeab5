import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import { type WebSocketRequest, WebSocketMessage } from '../../graph-protocol/messages.ts';
import { Forbidden } from '../refusal.ts';
import type { HostCallOptions } from '../hosts/graph-host.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';

export interface SocketOptions extends Pick<HostCallOptions, 'admit'> {
  /** The client's connection; the call is cancelled soon after it closes. */
  connection: Duplex;
}

export interface AcceptedSocket {
  protocol: string | null;
  headers: [name: string, value: string][];
  /** Takes the client's socket. */
  open(socket: WebSocket): void;
}

// Set by the server itself.
const OF_HANDSHAKE = /^(?:sec-websocket-.*|upgrade|connection|content-length|transfer-encoding)$/i;
const WAITING_MESSAGES = 16;
// Time for the application to notice that its client disconnected, in milliseconds.
const LEAVES_WITHIN_MS = 5_000;
const FAILED = 1011;

/** Asks the project's application to accept a WebSocket. Throws Forbidden if it refuses. */
export function connectSocket(
  hosts: GraphHosts,
  request: WebSocketRequest,
  { admit, connection }: SocketOptions,
): Promise<AcceptedSocket> {
  const left = new AbortController();
  connection.once('close', () => setTimeout(() => left.abort('closed'), LEAVES_WITHIN_MS).unref());
  let socket: WebSocket | undefined;
  let open!: (opened: WebSocket) => void;
  const opened = new Promise<WebSocket>((resolve) => {
    open = (taken) => {
      socket = taken;
      bridge(taken, input);
      resolve(taken);
    };
  });
  const input = new Readable({
    objectMode: true,
    highWaterMark: WAITING_MESSAGES,
    read: () => socket?.resume(),
  });
  return new Promise((resolve, reject) => {
    const answered = hosts.call('websocket', request, {
      admit,
      input,
      signal: left.signal,
      onData(name, body) {
        if (name === 'accept') {
          const { protocol, headers } = JSON.parse(body.toString()) as Omit<AcceptedSocket, 'open'>;
          resolve({ protocol, headers: headers.filter(isSendable), open });
        } else if (name === 'close') {
          const { code, reason } = JSON.parse(body.toString()) as { code: number; reason: string };
          reject(new Forbidden());
          void opened.then((client) => closeWith(client, code, reason));
        } else return opened.then((client) => sent(client, body, name === 'binary'));
        return undefined;
      },
    });
    void answered
      .then(() => Promise.reject(new Forbidden()))
      .catch((error: unknown) => {
        reject(error);
        void opened.then((client) => client.close(FAILED));
      });
  });
}

/** Forwards the client's messages as fast as the application reads them. */
function bridge(socket: WebSocket, input: Readable): void {
  const push = (kind: number, body: Buffer) => input.push(Buffer.concat([Buffer.of(kind), body]));
  socket.on('message', (data: Buffer, isBinary) => {
    if (!push(isBinary ? WebSocketMessage.binary : WebSocketMessage.text, data)) socket.pause();
  });
  socket.on('close', (code, reason) => {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(code);
    push(WebSocketMessage.close, Buffer.concat([head, reason]));
    input.push(null);
  });
  socket.on('error', () => socket.terminate());
}

const sent = (socket: WebSocket, body: Buffer, binary: boolean): Promise<void> =>
  // Ignores errors: the client may have disconnected.
  new Promise((done) => socket.send(body, { binary }, () => done()));

function closeWith(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // The code or reason is invalid.
    socket.close(FAILED);
  }
}

function isSendable([name, value]: [string, string]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return !OF_HANDSHAKE.test(name);
  } catch {
    return false;
  }
}
