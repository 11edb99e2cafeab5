import { Agent, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FuzzRequest } from './request-arbitrary.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** False if the body was incomplete when we stopped reading. */
  whole: boolean;
}

// Stop reading long responses after a while; they must have begun by then.
const PATIENCE_MS = 2_500;
const STREAM_MS = 400;
const ANSWER_MS = 90_000;

const agent = new Agent({ keepAlive: true });

/** Sends exactly these bytes, including what fetch would refuse or repair. */
export async function send(base: string, { method, path, headers, body }: FuzzRequest): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const request = httpRequest({ hostname, port, method, path, agent, headers: { ...headers, ...length } });
    const late = setTimeout(() => request.destroy(new Error(`no answer in ${ANSWER_MS} ms`)), ANSWER_MS);
    request.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    request.on('response', (response) => {
      clearTimeout(late);
      read(response).then(resolve, reject);
    });
    request.end(body);
  });
}

async function read(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  const isStream = headers['content-type']?.startsWith('text/event-stream');
  const leave = setTimeout(() => response.destroy(), isStream ? STREAM_MS : PATIENCE_MS);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    if (!response.destroyed || response.errored) throw error;
  } finally {
    clearTimeout(leave);
  }
  return { status, headers, text: Buffer.concat(chunks).toString('utf8'), whole: response.complete };
}

export function closeConnections(): void {
  agent.destroy();
}
