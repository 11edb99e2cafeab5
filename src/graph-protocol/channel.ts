import type { Duplex } from 'node:stream';
import { Exchange } from './exchange.ts';
import { encodeFrame, type Frame, FrameReader, type FrameHeader } from './frame.ts';
import { type CallOptions, OpenCall } from './open-call.ts';
import { ConnectionLost } from './remote-error.ts';

export type Handler = (params: never, exchange: Exchange) => unknown;
export type Handlers = Readonly<Record<string, Handler>>;

export interface ChannelOptions {
  /** What the other side may call, by method. */
  handlers: Handlers;
  /** What of an error goes to the other side: `{error, message, …}`. */
  describeError: (error: unknown) => Record<string, unknown>;
}

// A peer that asks for more at once waits; one that does not read its answers is disconnected.
const MOST_CALLS = 1_024;
const MOST_UNREAD = 512 * 1024 * 1024;

/** One end of a connection between the agent server and a graph host (docs/contracts/graph-host.md). */
export class Channel {
  /** Settles, with the reason, when the connection has ended. */
  readonly closed: Promise<Error>;
  readonly #socket: Duplex;
  readonly #options: ChannelOptions;
  readonly #calls = new Map<number, OpenCall>();
  readonly #exchanges = new Map<number, Exchange>();
  readonly #reader = new FrameReader();
  #lastId = 0;
  #failure: Error | undefined;
  #full: Promise<void> | undefined;
  #drained = () => {};
  #corked = false;

  constructor(socket: Duplex, options: ChannelOptions) {
    this.#socket = socket;
    this.#options = options;
    this.closed = new Promise((resolve) => {
      socket.on('data', (chunk: Buffer) => this.#receive(chunk));
      socket.on('error', (error) => this.close(error));
      socket.on('end', () => this.close());
      socket.on('drain', () => {
        this.#full = undefined;
        this.#drained();
      });
      socket.on('close', () => {
        this.close();
        resolve(this.#failure!);
      });
    });
    // A connection that has shown its token waits, paused, for its reader.
    socket.resume();
  }

  /** Calls a method of the other side. Throws RemoteError: what it answered, or ConnectionLost. */
  call<Result>(method: string, params: object = {}, options: CallOptions = {}): Promise<Result> {
    return this.open<Result>(method, params, options).answer;
  }

  /** The same, with the call's id, under which the other side may call back. */
  open<Result>(
    method: string,
    params: object,
    options: CallOptions = {},
  ): { id: number; answer: Promise<Result> } {
    const id = ++this.#lastId;
    if (this.#failure) return { id, answer: Promise.reject(new ConnectionLost(this.#failure.message)) };
    const call = new OpenCall(id, options, (header, body) => this.#post(header, body));
    this.#calls.set(id, call);
    void this.#post({ call: method, id }, JSON.stringify(params));
    call.watch(options.signal);
    return { id, answer: call.answer.finally(() => this.#calls.delete(id)) as Promise<Result> };
  }

  close(error: Error = new Error('the connection has ended')): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#socket.destroy();
    this.#drained();
    for (const call of this.#calls.values()) call.fail(new ConnectionLost(error.message));
    for (const exchange of this.#exchanges.values()) exchange.cancel('closed');
  }

  #post(header: FrameHeader, body?: string | Uint8Array): Promise<void> | undefined {
    if (this.#failure) return undefined;
    // Batches what is sent within one turn of the event loop.
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    if (this.#socket.write(encodeFrame(header, body))) return undefined;
    if (this.#socket.writableLength > MOST_UNREAD) {
      this.close(new Error('the other side does not read'));
      return undefined;
    }
    this.#full ??= new Promise((resolve) => (this.#drained = resolve));
    return this.#full;
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) this.#take(frame);
    } catch (error) {
      this.close(error as Error);
    }
  }

  #take({ header, body }: Frame): void {
    if ('data' in header) this.#callOf(header['data'])?.data(String(header['name']), body);
    else if ('result' in header) this.#callOf(header['result'])?.succeed(body);
    else if ('error' in header) this.#callOf(header['error'])?.refuse(body);
    else if ('pull' in header) this.#callOf(header['pull'])?.pulled(Number(header['bytes']));
    else if ('call' in header) void this.#answer(String(header['call']), Number(header['id']), body);
    else if ('send' in header) this.#exchangeOf(header['send'])?.arrived(body);
    else if ('end' in header) this.#exchangeOf(header['end'])?.arrived(undefined);
    else if ('credit' in header) this.#exchangeOf(header['credit'])?.credited(Number(header['bytes']));
    else if ('cancel' in header) {
      const { reason } = JSON.parse(body.toString() || '{}') as { reason?: unknown };
      this.#exchangeOf(header['cancel'])?.cancel(reason ?? 'cancelled');
    }
  }

  readonly #callOf = (id: unknown): OpenCall | undefined => this.#calls.get(id as number);
  readonly #exchangeOf = (id: unknown): Exchange | undefined => this.#exchanges.get(id as number);

  async #answer(method: string, id: number, body: Buffer): Promise<void> {
    const exchange = new Exchange(id, (header, body) => this.#post(header, body));
    this.#exchanges.set(id, exchange);
    if (this.#exchanges.size >= MOST_CALLS) this.#socket.pause();
    const { handlers, describeError } = this.#options;
    try {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (!handler) throw new Error(`there is no method ${method}`);
      const result: unknown = await handler(JSON.parse(body.toString()) as never, exchange);
      void this.#post({ result: id }, JSON.stringify(result ?? null));
    } catch (error) {
      void this.#post({ error: id }, JSON.stringify(describeError(error)));
    } finally {
      this.#exchanges.delete(id);
      if (this.#exchanges.size < MOST_CALLS && this.#socket.isPaused()) this.#socket.resume();
    }
  }
}
