import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Exchange } from '../../graph-protocol/exchange.ts';
import type { HttpAnswer, HttpHead, User } from '../../graph-protocol/messages.ts';
import { Unavailable } from '../../platform/errors.ts';

type HostFetch = HttpHead & { user?: User | undefined };
type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const BODILESS = new Set(['GET', 'HEAD']);
const users = new WeakMap<Duplex, User>();

/** The user on whose behalf the project's own code sent the request, from inside this process. */
export const userInProcess = (request: IncomingMessage): User | undefined => users.get(request.socket);

/**
 * The API for the project's own code: same routes and rules as for external requests, over connections that never
 * leave the process. A call acts as the user the code runs for unless it has its own `authorization`; without either
 * it is unauthenticated.
 */
export class InProcessApi {
  readonly #connections = new Set<Duplex>();
  #server: Server | undefined;
  #prefix = '';

  /** Starts answering calls; `prefix` is where the routes are mounted. */
  serve(handle: Handle, prefix = ''): void {
    this.#server = createServer(handle);
    this.#prefix = prefix.replace(/\/+$/, '');
  }

  close(): void {
    for (const connection of this.#connections) connection.destroy();
    this.#server = undefined;
  }

  /** Answers a request from a host; only the path and query of its URL matter. */
  async answer(request: HostFetch, exchange: Exchange): Promise<void> {
    if (!this.#server) throw new Unavailable('The server is starting or stopping and cannot be called');
    const answer = await this.#send(request, exchange);
    const headers: HttpAnswer['headers'] = [];
    for (let i = 0; i < answer.rawHeaders.length; i += 2)
      headers.push([answer.rawHeaders[i]!, answer.rawHeaders[i + 1]!]);
    await exchange.send('head', JSON.stringify({ status: answer.statusCode!, headers } satisfies HttpAnswer));
    for await (const piece of answer) await exchange.send('body', piece as Buffer);
  }

  #connect(user: User | undefined): Duplex {
    const [ours, theirs] = duplexPair();
    if (user) users.set(theirs, user);
    for (const end of [ours, theirs]) {
      this.#connections.add(end);
      end.on('error', () => {}).once('close', () => this.#connections.delete(end));
    }
    ours.once('close', () => theirs.destroy());
    theirs.once('close', () => ours.destroy());
    this.#server!.emit('connection', theirs);
    return ours;
  }

  #send({ url, method, headers, user }: HostFetch, exchange: Exchange): Promise<IncomingMessage> {
    const { host, pathname, search } = new URL(url);
    const mounted = pathname === this.#prefix || pathname.startsWith(`${this.#prefix}/`);
    const options = {
      method,
      path: (mounted ? '' : this.#prefix) + pathname + search,
      headers: { host, ...Object.fromEntries(headers) },
      signal: exchange.signal,
      createConnection: () => this.#connect(user),
    };
    return new Promise((resolve, reject) => {
      const sent = sendRequest(options, resolve).on('error', reject);
      if (BODILESS.has(method)) sent.end();
      else pipeline(exchange.read(), sent).catch(reject);
    });
  }
}
