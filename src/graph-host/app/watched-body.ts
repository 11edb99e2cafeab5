/** A request after Hono's middleware: what was read and what was replaced. */
export interface LeftRequest {
  raw: Request;
  bodyCache: {
    json?: Promise<unknown>;
    text?: Promise<string>;
    arrayBuffer?: Promise<ArrayBuffer>;
    blob?: Promise<Blob>;
  };
}

/**
 * The body of a request to one of our routes, as the project's middleware sees it: fetched only when it is read, and
 * kept for the route.
 */
export class WatchedBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Why it could not be read. */
  failure: unknown;
  readonly #source: AsyncIterator<Buffer>;
  readonly #chunks: Buffer[] = [];
  #whole = false;

  constructor(input: AsyncIterable<Buffer>) {
    this.#source = input[Symbol.asyncIterator]();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      try {
        const chunk = await this.#read();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      } catch (error) {
        controller.error(error);
      }
    };
    this.stream = new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /** The next chunk; undefined at the end. */
  async #read(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await this.#source.next();
      if (done) {
        this.#whole = true;
        return undefined;
      }
      this.#chunks.push(value);
      return value;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  /** The body for the route; undefined if middleware left it untouched. */
  async after(given: Request, { raw, bodyCache }: LeftRequest): Promise<Buffer | undefined> {
    if (raw !== given && raw.body && !raw.bodyUsed) return Buffer.from(await raw.arrayBuffer());
    const { json, text, arrayBuffer, blob } = bodyCache;
    if (json !== undefined) return Buffer.from(JSON.stringify(await json));
    if (text !== undefined) return Buffer.from(await text);
    if (arrayBuffer !== undefined) return Buffer.from(await arrayBuffer);
    if (blob !== undefined) return Buffer.from(await (await blob).arrayBuffer());
    if (this.#chunks.length === 0 && !this.#whole) return undefined;
    // Middleware read only part of it.
    while (!this.#whole) await this.#read();
    return Buffer.concat(this.#chunks);
  }
}
