import { type OpenAnswer, openPost } from '../support/open-answer.ts';

/** Sends requests as an Agent2Agent client does. */
export class A2aCaller {
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  /** The JSON-RPC response. */
  readonly rpc = async (assistant: string, method: string, params?: object): Promise<any> =>
    (await this.#post(assistant, method, params, 'application/json')).json();

  send(
    method: string,
    assistant: string,
    parts: object[],
    rest: object = {},
    options: object = {},
  ): Promise<any> {
    const message = { kind: 'message', role: 'user', messageId: 'm-1', parts, ...rest };
    return this.rpc(assistant, method, { message, ...options });
  }

  /** The results of a stream, read to its end. */
  async stream(assistant: string, method: string, params: object): Promise<any[]> {
    const response = await this.#post(assistant, method, params, 'text/event-stream');
    return this.results(await response.text());
  }

  /** An open stream. */
  open(assistant: string, method: string, params: object): Promise<OpenAnswer> {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    return openPost(`${this.#url()}/a2a/${assistant}`, { jsonrpc: '2.0', id: 1, method, params }, headers);
  }

  /** The results received from a stream. */
  results(body: string): any[] {
    return this.frames(body).map(({ result, error }) => result ?? error);
  }

  frames(body: string): any[] {
    return body
      .split('\n\n')
      .filter((frame) => frame !== '' && frame !== ': heartbeat')
      .map((frame) => JSON.parse(/^event: message\ndata: (.*)$/.exec(frame)![1]!));
  }

  #post(assistant: string, method: string, params: object | undefined, accept: string): Promise<Response> {
    return fetch(`${this.#url()}/a2a/${assistant}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  }
}

export const text = (words: string) => ({ kind: 'text', text: words });
export const data = (values: object) => ({ kind: 'data', data: values });
