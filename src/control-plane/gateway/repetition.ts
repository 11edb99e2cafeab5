import type { IncomingMessage } from 'node:http';

// What may be done twice (RFC 9110 §9.2.2).
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether a request may be sent again that was done perhaps: by its method, or because its caller says so. */
export const isRepeatable = ({ method = 'GET', headers }: IncomingMessage): boolean =>
  IDEMPOTENT.has(method) || headers['idempotency-key'] !== undefined;

/**
 * The whole body of a request that may be sent again; undefined for one that is passed on as it comes: it has none, may
 * not be sent again, or has more than `mostBytes`, or does not say how much.
 */
export async function keptBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (!isRepeatable(request) || length === 0 || length > mostBytes) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
