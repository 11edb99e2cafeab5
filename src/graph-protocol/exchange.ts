/** Most bytes of output that a callee may have unacknowledged. */
export const WINDOW = 1024 * 1024;

/** Sends one frame about the exchange; returns a promise while the connection takes no more. */
export type Post = (header: Record<string, unknown>, body?: string | Uint8Array) => Promise<void> | undefined;

/** A call as the side that carries it out has it: its output, its input and whether it was cancelled. */
export class Exchange {
  readonly id: number;
  readonly #post: Post;
  readonly #abort = new AbortController();
  #credit = WINDOW;
  #credited: (() => void) | undefined;
  readonly #input: Buffer[] = [];
  #inputEnded = false;
  #inputArrived: (() => void) | undefined;

  constructor(id: number, post: Post) {
    this.id = id;
    this.#post = post;
  }

  /** Aborts when the caller cancels, or is gone; the reason is the caller's. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Sends a piece of output. Wait for what it returns before sending more. */
  send(name: string, body: string | Uint8Array): Promise<void> | undefined {
    const pressed = this.#post({ data: this.id, name }, body);
    this.#credit -= typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    return this.#credit > 0 ? pressed : this.#untilCredited();
  }

  /** The call's input, requested chunk by chunk. */
  async *read(): AsyncGenerator<Buffer> {
    let asked = false;
    for (;;) {
      const piece = this.#input.shift();
      if (piece) {
        asked = false;
        yield piece;
      } else if (this.#inputEnded) {
        return;
      } else {
        this.signal.throwIfAborted();
        if (!asked) void this.#post({ pull: this.id, bytes: WINDOW });
        asked = true;
        await new Promise<void>((resolve) => (this.#inputArrived = resolve));
      }
    }
  }

  arrived(piece: Buffer | undefined): void {
    if (piece) this.#input.push(piece);
    else this.#inputEnded = true;
    this.#inputArrived?.();
  }

  credited(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > 0) this.#credited?.();
  }

  cancel(reason: unknown): void {
    this.#abort.abort(reason);
    // Neither credit nor input may come any more.
    this.#credited?.();
    this.#inputArrived?.();
  }

  async #untilCredited(): Promise<void> {
    while (this.#credit <= 0 && !this.signal.aborted)
      await new Promise<void>((resolve) => (this.#credited = resolve));
  }
}
