import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import { PATIENCE_MS } from './until.ts';

export interface Received {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  // The test checks the shape.
  json: any;
  at: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Status of responses from now on; initially 200. */
  answer: (request: Received, response: ServerResponse) => void;
  /** Waits for that many matching requests and returns them. */
  wait(passes: (request: Received) => boolean, count?: number, ms?: number): Promise<Received[]>;
}

export const answerOk = (_: Received, response: ServerResponse): void => void response.end('thanks');

/** A webhook receiver on its own port, closed after the file's tests. */
export function useReceiver(): Receiver {
  let server: Server;
  const received: Received[] = [];
  const receiver: Receiver = {
    received,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    answer: answerOk,
    async wait(passes, count = 1, ms = PATIENCE_MS) {
      const deadline = Date.now() + ms;
      for (;;) {
        const found = received.filter(passes);
        if (found.length >= count) return found;
        if (Date.now() > deadline)
          throw new Error(`Not in ${ms} ms: ${count} webhooks; ${found.length} of ${received.length} came`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
  beforeAll(async () => {
    // It never closes a connection that a sender may be about to reuse, which would fail the attempt.
    server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const one = { method, path: url, headers, text, json: parse(text), at: Date.now() };
        received.push(one);
        receiver.answer(one, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return receiver;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
