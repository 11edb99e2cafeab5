import { Agent, type IncomingMessage, request } from 'node:http';

export interface Reply {
  status: number;
  text: string;
}

/** A streamed response, kept raw and parsed only after timing ends. */
export interface StreamedReply extends Reply {
  sentAt: number;
  /** When the first event arrived, as opposed to headers or a comment. */
  firstEventAt: number;
  endedAt: number;
}

// Makes a hanging server fail the scenario instead of blocking the benchmark.
const DEADLINE_MS = 60_000;

/** A minimal client: Node's own, with keep-alive connections. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: URL;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Reply> {
    const response = await this.#open(method, path, body);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status: response.statusCode!, text: Buffer.concat(chunks).toString() };
  }

  async stream(path: string, body: unknown): Promise<StreamedReply> {
    const sentAt = performance.now();
    const response = await this.#open('POST', path, body);
    const chunks: Buffer[] = [];
    let firstEventAt = NaN;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (Number.isNaN(firstEventAt) && chunk.includes('event:')) firstEventAt = performance.now();
      chunks.push(chunk);
    }
    const endedAt = performance.now();
    const text = Buffer.concat(chunks).toString();
    return { status: response.statusCode!, text, sentAt, firstEventAt, endedAt };
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, body: unknown): Promise<IncomingMessage> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      authorization: 'Bearer bench',
      ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.#url), { method, headers, agent: this.#agent }, resolve);
      outgoing.setTimeout(DEADLINE_MS, () => outgoing.destroy(new Error(`No answer to ${method} ${path}`)));
      outgoing.once('error', reject);
      outgoing.end(text);
    });
  }
}
