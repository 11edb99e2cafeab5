import type { IncomingMessage, ServerResponse } from 'node:http';

const limits = new WeakMap<IncomingMessage, (ms: number) => void>();

/** Answers 408 and ends the connection when the body has not come within `ms`; `allowToReceive` gives it longer. */
export function limitReceiving(request: IncomingMessage, response: ServerResponse, ms: number): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && Number(length) === 0) return;
  const giveUp = () => {
    if (request.complete || request.destroyed) return;
    if (response.headersSent) return void request.destroy();
    const body = JSON.stringify({ detail: 'The request body did not arrive in time' });
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      connection: 'close',
    };
    response.writeHead(408, headers).end(body, () => request.destroy());
  };
  let timer = setTimeout(giveUp, ms).unref();
  request.once('close', () => clearTimeout(timer));
  limits.set(request, (longer) => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, longer).unref();
  });
}

/** Lets the body of a request take `ms` from now on. */
export const allowToReceive = (request: IncomingMessage, ms: number): void => limits.get(request)?.(ms);

/** What is not an upload comes within five minutes, once it is known who sends it. */
export const KNOWN_MS = 300_000;
