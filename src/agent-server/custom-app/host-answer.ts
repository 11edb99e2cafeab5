import { Readable } from 'node:stream';
import type { HttpAnswer, HttpRequest } from '../../graph-protocol/messages.ts';
import type { HostCallOptions } from '../hosts/graph-host.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';

export interface AnswerOfHost extends HttpAnswer {
  /** Ends with the response; destroying it cancels the call. */
  content: Readable;
}

/** Sends a request to the project's application; resolves with the head of the response. */
export function askApplication(
  hosts: GraphHosts,
  request: HttpRequest,
  options: Pick<HostCallOptions, 'input' | 'admit' | 'signal'> = {},
): Promise<AnswerOfHost> {
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  return new Promise((resolve, reject) => {
    let hasRoom = () => {};
    let isAnswered = false;
    const content = new Readable({
      read: () => hasRoom(),
      destroy(error, done) {
        left.abort('closed');
        hasRoom();
        done(error);
      },
    });
    const answered = hosts.call('http', request, {
      ...options,
      signal,
      onData(name, piece) {
        if (name === 'head') {
          isAnswered = true;
          resolve({ ...(JSON.parse(piece.toString()) as HttpAnswer), content });
        } else if (!content.push(piece)) return new Promise<void>((room) => (hasRoom = room));
        return undefined;
      },
    });
    answered.then(
      () => content.push(null),
      (error: unknown) => {
        reject(error);
        // Before the response starts, its content has no error listener.
        content.destroy(isAnswered ? (error as Error) : undefined);
      },
    );
  });
}
