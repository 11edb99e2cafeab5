import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AuthUser } from '../auth/caller.ts';
import { acting } from '../../graph-host/in-process/acting.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const EMPTY = new Set([204, 205, 304]);
const users = new WeakMap<Duplex, AuthUser>();

/** The user in whose name the project's own code sent the request, from inside this process. */
export const userInProcess = (request: IncomingMessage): AuthUser | undefined => users.get(request.socket);

/**
 * The API as the project's own code calls it: the routes and rules of requests from outside, over connections that
 * never leave the process. A call acts as the user the code runs for, unless it has an `authorization`
 * of its own; without either it is a stranger's.
 */
export class InProcessApi {
  readonly #connections = new Set<Duplex>();
  #server: Server | undefined;
  #prefix = '';

  /** Answers calls from now on; `prefix` is where the routes are mounted. */
  serve(handle: Handle, prefix = ''): void {
    this.#server = createServer(handle);
    this.#prefix = prefix.replace(/\/+$/, '');
  }

  close(): void {
    for (const connection of this.#connections) connection.destroy();
    this.#server = undefined;
  }

  /** Like the global one; the address counts from its path on. */
  fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!this.#server) throw new Error('The server is starting or stopping: it cannot be called right now');
    const request = new Request(input instanceof Request ? input : new URL(input, 'http://localhost'), init);
    const user = request.headers.has('authorization') ? undefined : acting().user;
    const answer = await this.#send(request, () => this.#connect(user));
    const headers = new Headers();
    for (let i = 0; i < answer.rawHeaders.length; i += 2)
      headers.append(answer.rawHeaders[i]!, answer.rawHeaders[i + 1]!);
    const { statusCode: status = 500, statusMessage: statusText = '' } = answer;
    if (!EMPTY.has(status)) {
      const body = Readable.toWeb(answer) as unknown as ConstructorParameters<typeof Response>[0];
      return new Response(body, { status, statusText, headers });
    }
    answer.resume();
    return new Response(null, { status, statusText, headers });
  };

  #connect(user: AuthUser | undefined): Duplex {
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

  #send(
    { url, method, headers, body, signal }: Request,
    createConnection: () => Duplex,
  ): Promise<IncomingMessage> {
    const { host, pathname, search } = new URL(url);
    const mounted = pathname === this.#prefix || pathname.startsWith(`${this.#prefix}/`);
    const options = {
      method,
      path: (mounted ? '' : this.#prefix) + pathname + search,
      headers: { host, ...Object.fromEntries(headers) },
      signal,
      createConnection,
    };
    return new Promise((resolve, reject) => {
      const sent = sendRequest(options, resolve).on('error', reject);
      if (body) pipeline(Readable.fromWeb(body), sent).catch(reject);
      else sent.end();
    });
  }
}
