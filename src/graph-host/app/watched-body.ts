/** A request as Hono's middleware leaves it: what was read of it, and what was put in its place. */
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
 * The body of a request to one of our routes, as the project's middleware sees it: asked for only
 * when it is read, and kept for the route.
 */
export class WatchedBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Why it could not be read. */
  failure: unknown;
  readonly #chunks: Buffer[] = [];
  #whole = false;

  constructor(input: AsyncIterable<Buffer>) {
    const chunks = input[Symbol.asyncIterator]();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      try {
        const { done, value } = await chunks.next();
        if (done) {
          this.#whole = true;
          return controller.close();
        }
        this.#chunks.push(value);
        controller.enqueue(value);
      } catch (error) {
        this.failure = error;
        controller.error(error);
      }
    };
    this.stream = new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /** What the route is to read; undefined when the middleware has left the body alone. */
  async after(given: Request, { raw, bodyCache }: LeftRequest): Promise<Buffer | undefined> {
    if (raw !== given && raw.body && !raw.bodyUsed) return Buffer.from(await raw.arrayBuffer());
    const { json, text, arrayBuffer, blob } = bodyCache;
    if (json !== undefined) return Buffer.from(JSON.stringify(await json));
    if (text !== undefined) return Buffer.from(await text);
    if (arrayBuffer !== undefined) return Buffer.from(await arrayBuffer);
    if (blob !== undefined) return Buffer.from(await (await blob).arrayBuffer());
    if (this.#chunks.length === 0 && !this.#whole) return undefined;
    if (!this.#whole) throw new Error('The middleware of http.app read a part of a body and left the rest');
    return Buffer.concat(this.#chunks);
  }
}
