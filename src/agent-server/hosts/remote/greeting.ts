import type { Socket } from 'node:net';
import { type Frame, FrameReader } from '../../../graph-protocol/frame.ts';

const LARGEST = { header: 1_024, body: 4_096 };

export interface Greeting {
  /** Id of the `hello` call, which is not yet answered. */
  id: number;
  token: string;
}

/** Reads the `hello` call and pauses the connection. Rejects and disconnects on anything else, and on a timeout. */
export function readGreeting(socket: Socket, withinMs: number): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const reader = new FrameReader(LARGEST);
    const late = setTimeout(() => socket.destroy(new Error('no hello')), withinMs);
    const refuse = (error?: Error) => {
      clearTimeout(late);
      reject(error ?? new Error('no hello'));
    };
    const read = (chunk: Buffer) => {
      try {
        const frames = [...reader.push(chunk)];
        if (frames.length === 0) return;
        // A client must wait for the answer to `hello`.
        if (frames.length > 1 || reader.unread > 0) throw new Error('more than hello');
        const greeting = parse(frames[0]!);
        socket.pause();
        socket.off('data', read);
        socket.off('error', refuse);
        socket.off('close', refuse);
        clearTimeout(late);
        resolve(greeting);
      } catch (error) {
        socket.destroy(error as Error);
      }
    };
    socket.on('data', read).on('error', refuse).on('close', refuse);
  });
}

function parse({ header, body }: Frame): Greeting {
  const { token } = JSON.parse(body.toString()) as { token?: unknown };
  const { call, id } = header;
  if (call === 'hello' && typeof id === 'number' && typeof token === 'string') return { id, token };
  throw new Error('no hello');
}
