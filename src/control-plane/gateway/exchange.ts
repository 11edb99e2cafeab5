import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { takesCredentialsAway } from './answered-location.ts';
import { gatewayTokenHeader } from './gateway-token.ts';
import { answeredHeaders, forwardedHeaders } from './gateway-headers.ts';
import { hasBody, isRepeatable } from './repetition.ts';

export interface ExchangeTarget {
  /** Shown to the caller if given. */
  revision_id?: string;
  /** Origin of the instance. */
  url: string;
  path: string;
  prefix: string;
  /** The instance's gateway token; null if it needs none. */
  token: string | null;
  /** Caller's headers the instance must not see. */
  withheld: string[];
  /** The complete body if buffered; otherwise it is streamed. */
  body: Buffer | undefined;
}

/**
 * `done`: the caller was answered, or left. `unsent`: nothing reached the instance, so another may be tried. `cut`:
 * the instance failed before answering, and the request may be repeated. `lost`: the same, but it must not be
 * repeated. `malformed`: no instance can be sent it.
 */
export type Outcome = 'done' | 'unsent' | 'cut' | 'lost' | 'malformed';

const UNWRITABLE = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** Forwards one request to one instance and streams the response back, with backpressure both ways. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #target: ExchangeTarget;
  /** Streams the body; the request head is sent with its first bytes. */
  readonly #body: Transform | undefined;
  readonly #onGone = () => this.#leave();
  #controller: Dispatcher.DispatchController | undefined;
  /** Something may have been sent. */
  #sent = false;
  #settle!: (outcome: Outcome) => void;
  /** Status of the response; undefined until it arrives. */
  status: number | undefined;
  /** Milliseconds from the end of the request to the response head. */
  answeredMs: number | undefined;
  /** The response began and broke off, and not because the caller reads too slowly. */
  isCutOff = false;
  #hasPaused = false;
  #began = performance.now();
  readonly outcome = new Promise<Outcome>((resolve) => (this.#settle = resolve));

  constructor(request: IncomingMessage, response: ServerResponse, target: ExchangeTarget) {
    this.#request = request;
    this.#response = response;
    this.#target = target;
    if (hasBody(request) && !target.body)
      this.#body = new Transform({
        transform: (chunk, _encoding, done) => {
          this.#sent = true;
          done(null, chunk);
        },
        flush: (done) => {
          this.#sent = true;
          // How long the caller takes to send it says nothing about the revision.
          this.#began = performance.now();
          done();
        },
      });
    response.once('close', this.#onGone);
  }

  get options(): Dispatcher.DispatchOptions {
    const { method = 'GET', headers } = this.#request;
    const { url, path, prefix, token, withheld, body } = this.#target;
    return {
      origin: url,
      path,
      method,
      headers: { ...forwardedHeaders(this.#request, { prefix, withheld }), ...gatewayTokenHeader(token) },
      body: body ?? this.#body ?? null,
      ...(headers.upgrade && { upgrade: headers.upgrade }),
    };
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#response.destroyed) return controller.abort(new Error('The caller disconnected'));
    if (this.#body) this.#request.pipe(this.#body);
    else this.#sent = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    message?: string,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.answeredMs = performance.now() - this.#began;
    const response = this.#response;
    const answered = answeredHeaders(headers, this.#target);
    const { location } = answered;
    if (location && takesCredentialsAway(this.#request, { status, location }, this.#target))
      delete answered['location'];
    holdForTick(response.socket);
    response.writeHead(status, message, answered);
    // A stream's head must not wait for its first event.
    response.flushHeaders();
    response.on('drain', () => controller.resume());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    this.#hasPaused = true;
    controller.pause();
  }

  onResponseEnd(): void {
    this.#response.end();
    this.#finish('done');
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    upstream: Duplex,
  ): void {
    const { socket } = this.#response;
    this.status = status;
    this.#finish('done');
    if (!socket || socket.destroyed) return void upstream.destroy();
    const { upgrade = 'websocket' } = headers;
    const lines = Object.entries(answeredHeaders(headers, this.#target)).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${one}`),
    );
    this.#response.detachSocket(socket);
    socket.write(
      [
        `HTTP/1.1 ${status} Switching Protocols`,
        'connection: upgrade',
        `upgrade: ${upgrade}`,
        ...lines,
        '',
        '',
      ].join('\r\n'),
    );
    joinSockets(socket, upstream);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    if (this.#body) this.#request.unpipe(this.#body);
    if (this.#response.headersSent) {
      // The response has begun, so the only way to report the failure is to break it off.
      // Agents disconnect readers that fall too far behind.
      this.isCutOff = !this.#response.destroyed && !this.#hasPaused;
      this.#response.destroy();
      this.#finish('done');
    } else if (this.#response.destroyed) this.#finish('done');
    else if (UNWRITABLE.has(error.code ?? '')) this.#finish('malformed');
    else if (!this.#sent) this.#finish('unsent');
    else this.#finish(isRepeatable(this.#request) && !this.#body ? 'cut' : 'lost');
  }

  #leave(): void {
    if (!this.#response.writableFinished) this.#controller?.abort(new Error('The caller disconnected'));
    this.#finish('done');
  }

  #finish(outcome: Outcome): void {
    this.#response.off('close', this.#onGone);
    this.#settle(outcome);
  }
}

/** Sends head, body and end of a short response in one packet. */
function holdForTick(socket: Socket | null): void {
  if (!socket) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** Pipes both ways until one side ends or fails. */
function joinSockets(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one);
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.on('error', () => peer.destroy());
    socket.on('close', () => peer.destroy());
  }
}
