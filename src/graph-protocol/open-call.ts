import type { Post } from './exchange.ts';
import { RemoteError } from './remote-error.ts';

export interface CallOptions {
  /** Cancels the call when it aborts; the answer is still waited for. */
  signal?: AbortSignal | undefined;
  /** Takes a piece of output; the callee waits while what it returns is pending. */
  onData?: ((name: string, body: Buffer) => Promise<void> | undefined) | undefined;
  /** The call's input, read as the callee asks for it. */
  input?: AsyncIterable<Uint8Array> | undefined;
}

// Credit goes back in pieces worth a frame.
const CREDIT_AT = 64 * 1024;

/** A call that the other side has not answered yet. */
export class OpenCall {
  readonly answer: Promise<unknown>;
  readonly #id: number;
  readonly #options: CallOptions;
  readonly #post: Post;
  #settle!: { resolve: (result: unknown) => void; reject: (error: unknown) => void };
  #consumed = 0;
  /** Output in order: a piece waits for the one before it. */
  #taken: Promise<void> | undefined;
  #allowed = 0;
  #pulled: (() => void) | undefined;
  #isOver = false;
  #unwatch: (() => void) | undefined;

  constructor(id: number, options: CallOptions, post: Post) {
    this.#id = id;
    this.#options = options;
    this.#post = post;
    this.answer = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    if (options.input) void this.#sendInput(options.input);
  }

  watch(signal: AbortSignal | undefined): void {
    if (!signal) return;
    const cancel = () => {
      const reason: unknown = signal.reason;
      const text = typeof reason === 'string' ? reason : (reason as Error | undefined)?.name;
      void this.#post({ cancel: this.#id }, JSON.stringify({ reason: text }));
    };
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    this.#unwatch = () => signal.removeEventListener('abort', cancel);
  }

  data(name: string, body: Buffer): void {
    const { onData } = this.#options;
    if (this.#taken) {
      this.#hold(
        this.#taken.then(() => onData?.(name, body)),
        body.length,
      );
      return;
    }
    try {
      const pressed = onData?.(name, body);
      if (pressed) this.#hold(pressed, body.length);
      else this.#consume(body.length);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  succeed(body: Buffer): void {
    const result: unknown = JSON.parse(body.toString());
    this.#end(() => this.#settle.resolve(result));
  }

  refuse(body: Buffer): void {
    const error = new RemoteError(JSON.parse(body.toString()) as Record<string, unknown>);
    this.#end(() => this.#settle.reject(error));
  }

  fail(error: Error): void {
    this.#end(() => this.#settle.reject(error));
  }

  pulled(bytes: number): void {
    if (!this.#options.input) void this.#post({ end: this.#id });
    this.#allowed += bytes;
    this.#pulled?.();
  }

  #hold(taking: Promise<void>, bytes: number): void {
    const taken = taking.then(
      () => {
        this.#consume(bytes);
        if (this.#taken === taken) this.#taken = undefined;
      },
      (error: unknown) => this.#giveUp(error),
    );
    this.#taken = taken;
  }

  /** Output cannot be taken: there is no use in more of it. */
  #giveUp(error: unknown): void {
    void this.#post({ cancel: this.#id }, JSON.stringify({ reason: 'output' }));
    this.fail(error as Error);
  }

  #consume(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < CREDIT_AT || this.#isOver) return;
    void this.#post({ credit: this.#id, bytes: this.#consumed });
    this.#consumed = 0;
  }

  /** The answer comes behind all output. */
  #end(settle: () => void): void {
    this.#isOver = true;
    this.#unwatch?.();
    this.#pulled?.();
    if (this.#taken) void this.#taken.then(settle);
    else settle();
  }

  async #sendInput(input: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await this.#untilPulled();
      if (this.#isOver) return;
      for await (const piece of input) {
        if (this.#isOver) return;
        void this.#post({ send: this.#id }, piece);
        this.#allowed -= piece.byteLength;
        await this.#untilPulled();
      }
      if (!this.#isOver) void this.#post({ end: this.#id });
    } catch (error) {
      void this.#post({ cancel: this.#id }, JSON.stringify({ reason: (error as Error).name }));
    }
  }

  async #untilPulled(): Promise<void> {
    while (this.#allowed <= 0 && !this.#isOver)
      await new Promise<void>((resolve) => (this.#pulled = resolve));
  }
}
