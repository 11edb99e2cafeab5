import type { IncomingMessage, ServerResponse } from 'node:http';

const MIN_BYTES_PER_SECOND = 1_000;

interface Limit {
  allow(ms: number): void;
  requirePace(): void;
}
const limits = new WeakMap<IncomingMessage, Limit>();

/**
 * Answers 408 and closes the connection if the body has not arrived within `ms`. `allowToReceive` extends the time.
 */
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
  const wait = (onTime: () => void, waitMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(onTime, waitMs).unref();
  };
  request.once('close', () => clearTimeout(timer));
  limits.set(request, {
    allow: (longer) => wait(giveUp, longer),
    requirePace() {
      const until = Date.now() + KNOWN_MS;
      let received = request.socket.bytesRead;
      // Unread data means that we are the slow side.
      let hasUnread = false;
      const check = () => {
        const isSlow = request.socket.bytesRead - received < (MIN_BYTES_PER_SECOND * ms) / 1000;
        const hadUnread = hasUnread;
        hasUnread = request.readableLength > 0;
        if ((isSlow && !hadUnread && !hasUnread) || Date.now() >= until) return giveUp();
        received = request.socket.bytesRead;
        wait(check, ms);
      };
      wait(check, ms);
    },
  });
}

/** Extends the time to five minutes, provided that the body keeps arriving. */
export const requirePace = (request: IncomingMessage): void => limits.get(request)?.requirePace();

/** Extends the time to `ms` from now. */
export const allowToReceive = (request: IncomingMessage, ms: number): void => limits.get(request)?.allow(ms);

/** Time for bodies other than uploads once the sender is authenticated. */
export const KNOWN_MS = 300_000;
