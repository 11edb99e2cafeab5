import type { Channel } from '../../graph-protocol/channel.ts';
import type { HttpAnswer } from '../../graph-protocol/messages.ts';
import { acting } from './acting.ts';

const EMPTY = new Set([204, 205, 304]);

/**
 * The server's API for the project's code, with the same routes and rules as for outside requests. A call is made as
 * the user the code runs for, unless it has its own `authorization` header; with neither it is anonymous.
 */
export const serverFetch =
  (channel: Channel) =>
  (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input instanceof Request ? input : new URL(input, 'http://localhost'), init);
    const { method, url, headers, body, signal } = request;
    const { user, scope } = acting();
    return new Promise((resolve, reject) => {
      let output: ReadableStreamDefaultController<Uint8Array> | undefined;
      let hasRoom = () => {};
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void (output = controller),
        pull: () => hasRoom(),
      });
      const done = channel.call(
        'fetch',
        {
          method,
          url,
          headers: [...headers],
          scope,
          user: headers.has('authorization') ? undefined : user,
        },
        {
          signal,
          input: (body ?? undefined) as AsyncIterable<Uint8Array> | undefined,
          onData(name, piece) {
            if (name === 'head') {
              const { status = 500, headers: answered } = JSON.parse(piece.toString()) as HttpAnswer;
              const content = EMPTY.has(status) ? null : stream;
              resolve(new Response(content, { status, headers: answered }));
              return undefined;
            }
            output!.enqueue(piece);
            if ((output!.desiredSize ?? 1) > 0) return undefined;
            return new Promise((room) => (hasRoom = room));
          },
        },
      );
      done.then(
        () => output!.close(),
        (error: unknown) => {
          reject(error);
          output!.error(error);
        },
      );
    });
  };
