import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { encodeFrame } from '../../../graph-protocol/frame.ts';
import { listenAt } from '../listen-at.ts';
import { readGreeting } from './greeting.ts';

const MOST_GREETING = 32;
const GREETS_WITHIN_MS = 10_000;

interface Expected {
  /** Receives an authenticated connection, paused. */
  take: (socket: Socket) => void;
  /** Whether further connections are refused for now. */
  isTaken?: () => boolean;
}

/** Listens for connections. Each must present a token in its first call, or is disconnected. */
export class TokenListener {
  // Keyed by digest, so that lookup time reveals nothing about a token.
  readonly #expected = new Map<string, Expected>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => void this.#greet(socket));
  #greeting = 0;

  /** `address` as in SLIPWAY_HOST_LISTEN. `slipway host` runs as another user; the token protects the socket. */
  listen(address: string): Promise<void> {
    return listenAt(this.#server, address);
  }

  /** Accepts connections with this token until the listener closes. */
  expect(token: string, expected: Expected): void {
    this.#expected.set(digest(token), expected);
  }

  /** Accepts one connection, with a single-use token. */
  expectOne(): { token: string; arrived: Promise<Socket>; forget: () => void } {
    const token = randomBytes(32).toString('base64url');
    const key = digest(token);
    const forget = () => void this.#expected.delete(key);
    const arrived = new Promise<Socket>((resolve) => {
      const take = (socket: Socket) => {
        forget();
        resolve(socket);
      };
      this.#expected.set(key, { take });
    });
    return { token, arrived, forget };
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #greet(socket: Socket): Promise<void> {
    if (this.#greeting >= MOST_GREETING) return void socket.destroy();
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    this.#greeting++;
    const greeting = await readGreeting(socket, GREETS_WITHIN_MS).catch(() => undefined);
    this.#greeting--;
    if (!greeting) return;
    const { id, token } = greeting;
    const expected = this.#expected.get(digest(token));
    if (!expected) return refuse(socket, id, 'Unauthenticated', 'Invalid token');
    if (expected.isTaken?.())
      return refuse(socket, id, 'Taken', 'The server is connected to another container');
    socket.setKeepAlive(true);
    socket.setNoDelay(true);
    socket.write(encodeFrame({ result: id }, 'null'));
    expected.take(socket);
  }
}

function refuse(socket: Socket, id: number, error: string, message: string): void {
  socket.end(encodeFrame({ error: id }, JSON.stringify({ error, message })), () => socket.destroy());
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
