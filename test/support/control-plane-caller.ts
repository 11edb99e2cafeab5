import { PATIENCE_MS } from './until.ts';

export interface Answer {
  status: number;
  // The test checks the shape.
  json: any;
  text: string;
  headers: Headers;
}

/** Calls a control plane with the headers of one caller. */
export class Caller {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(base: string, headers: Record<string, string> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  get = (path: string, headers?: Record<string, string>) => this.#send('GET', path, undefined, headers);
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.#send('POST', path, body, headers);
  patch = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.#send('PATCH', path, body, headers);
  delete = (path: string, headers?: Record<string, string>) => this.#send('DELETE', path, undefined, headers);

  /** Repeats the request every 100 ms until the response is as expected. */
  async until(path: string, isDone: (answer: Answer) => boolean, patienceMs = PATIENCE_MS): Promise<Answer> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const answer = await this.get(path);
      if (isDone(answer)) return answer;
      if (Date.now() > deadline) throw new Error(`${path} is still ${answer.text}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.#base + path, {
      method,
      headers: {
        ...this.#headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: text && JSON.parse(text), text, headers: response.headers };
  }
}
